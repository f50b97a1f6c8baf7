package fakegram

import (
	"context"
	"net/http"
	"time"
)

// Weather contains the faults to inject into one call. The zero value injects
// none.
type Weather struct {
	// RetryAfter refuses the call with 429 and imposes a wait, as if it had
	// exceeded a limit of the chat, or of all chats if the call has no chat. A
	// refused poll makes only polls wait.
	RetryAfter int
	// Status refuses the call with this status, such as 502, and Words as an
	// addition to the status text.
	Status int
	Words  string
	// Before delays the effect of the call, After its response.
	Before, After time.Duration
	// LoseCall breaks the connection before the call takes effect, LoseAnswer
	// after it.
	LoseCall, LoseAnswer bool
}

// Storm sets the function that returns the faults for each call from now on;
// nil injects none.
func (s *Server) Storm(storm func(Call) Weather) {
	s.change(func(time.Time) { s.storm = storm })
}

func (s *Server) weather(entry *Call) Weather {
	var storm func(Call) Weather
	var call Call
	s.read(func(time.Time) { storm, call = s.storm, entry.copied() })
	if storm == nil {
		return Weather{}
	}
	return storm(call)
}

// brave executes a call with the injected faults.
func (s *Server) brave(w http.ResponseWriter, r *http.Request, q *request, m method, entry *Call) {
	day := s.weather(entry)
	if day.LoseCall || !lasts(r.Context(), day.Before) {
		panic(http.ErrAbortHandler) // breaks the connection, as net/http documents it
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

// refuse imposes a wait without a reason. Like any other call, it doubles a
// wait that has not passed.
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

// lasts waits for d. It returns false if the client disconnects.
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
