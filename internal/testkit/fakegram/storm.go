package fakegram

import (
	"context"
	"net/http"
	"time"
)

// Weather is what befalls one call. The zero value is a fine day.
type Weather struct {
	// RetryAfter refuses the call with 429 and makes the bot wait, as if it had
	// run into a limit of the chat, or of all chats if the call is for none. A
	// poll that is refused makes polls wait, and nothing else.
	RetryAfter int
	// Status refuses the call with this status, such as 502, and with these words
	// behind the usual ones.
	Status int
	Words  string
	// Before is how long the call is under way until it takes effect, After how
	// long its answer is.
	Before, After time.Duration
	// LoseCall breaks the connection instead of doing anything, LoseAnswer
	// after the call has taken effect.
	LoseCall, LoseAnswer bool
}

// Storm sets what is asked, from now on, before each call; nil for fine days.
func (s *Server) Storm(storm func(Call) Weather) {
	s.change(func(time.Time) { s.storm = storm })
}

func (s *Server) weather(entry *Call) Weather {
	var storm func(Call) Weather
	var seen Call
	s.look(func(time.Time) { storm, seen = s.storm, entry.copied() })
	if storm == nil {
		return Weather{}
	}
	return storm(seen)
}

// brave answers a call in whatever weather there is.
func (s *Server) brave(w http.ResponseWriter, r *http.Request, q *request, m method, entry *Call) {
	day := s.weather(entry)
	if day.LoseCall || !lasts(r.Context(), day.Before) {
		panic(http.ErrAbortHandler) // the way to break a connection that net/http documents
	}
	var status int
	var body []byte
	var updates []*update
	switch {
	case day.RetryAfter > 0:
		status, body = encodeAnswer(nil, s.refuse(q, m, day.RetryAfter))
	case day.Status > 0:
		status, body = encodeAnswer(nil, problem{code: day.Status, words: day.words()})
	default:
		status, body, updates = s.handleCall(r.Context(), q, m)
	}
	if day.LoseAnswer || !lasts(r.Context(), day.After) {
		panic(http.ErrAbortHandler)
	}
	s.handOver(updates)
	s.writeReply(w, entry, status, body)
}

func (day Weather) words() string {
	if day.Words == "" {
		return http.StatusText(day.Status)
	}
	return http.StatusText(day.Status) + ": " + day.Words
}

// refuse makes the bot wait without a reason. A wait that is not over yet is
// broken by this call like by any other.
func (s *Server) refuse(q *request, m method, seconds int) (err error) {
	s.change(func(now time.Time) {
		p := &play{Server: s, q: q, now: now}
		hold := &s.ban
		switch {
		case m.polls:
			hold = &s.pollBan
		case q.params["chat_id"] != "" && p.findChat() == nil:
			hold = &p.chat.ban
		}
		if again, waits := hold.broken(now); waits {
			s.violate(now, "%s: a call before a wait was over; it is %d s now", m.name, again)
			err = tooMany(again)
			return
		}
		hold.startBan(now, seconds)
		err = tooMany(seconds)
	})
	return err
}

// lasts waits; it is false if the client left.
func lasts(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
