package fakegram

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// play is the execution of one call: the request, its chat if the method has
// one, and the time.
type play struct {
	*Server
	q    *request
	chat *chat
	now  time.Time
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	token, isBot := strings.CutPrefix(r.PathValue("bot"), "bot")
	if !isBot {
		http.NotFound(w, r)
		return
	}
	q, err := readRequest(w, r)
	m, known := methods[strings.ToLower(q.method)]
	if known {
		q.method = m.name
	}
	entry := s.record(q)
	switch {
	case token != s.token:
		err = problem{code: http.StatusUnauthorized, words: "Unauthorized"}
	case err != nil:
	case !known:
		s.change(func(now time.Time) { s.violate(now, "%s: no such method", q.method) })
		err = problem{code: http.StatusNotFound, words: "Not Found: method not found"}
	default:
		s.brave(w, r, q, m, entry)
		return
	}
	status, body := encodeAnswer(nil, err)
	s.writeReply(w, entry, status, body)
}

func (s *Server) record(q *request) *Call {
	entry := &Call{At: time.Now(), Method: q.method, Params: q.params}
	entry.Chat, _ = strconv.ParseInt(q.params["chat_id"], 10, 64)
	for field, f := range q.files {
		if entry.Files == nil {
			entry.Files = map[string]string{}
		}
		entry.Files[field] = f.name
	}
	s.change(func(time.Time) {
		entry.N = len(s.calls) + 1
		s.calls = append(s.calls, entry)
	})
	s.logger.Info("call", "method", q.method)
	return entry
}

// handleCall executes a call and encodes the response. The caller delivers
// updates to the bot with the response.
func (s *Server) handleCall(ctx context.Context, q *request, m method) (status int, body []byte, updates []*update) {
	if m.polls {
		updates, err := s.poll(ctx, q)
		status, body = encodeAnswer(raws(updates), err)
		return status, body, updates
	}
	s.change(func(now time.Time) {
		p := &play{Server: s, q: q, now: now}
		result, err := p.perform(m)
		status, body = encodeAnswer(result, err)
	})
	return status, body, nil
}

// perform makes the checks that all methods share and executes the method. The
// waits of a 429 come first: a call during a wait is a violation even if it is
// invalid otherwise.
func (p *play) perform(m method) (any, error) {
	for _, name := range p.q.names() {
		if !slices.Contains(m.params, name) {
			p.violate(p.now, "%s: parameter %q is unknown", m.name, name)
		}
	}
	if again, waits := p.ban.broken(p.now); waits {
		p.violate(p.now, "%s: a call before the wait for all chats was over; it is %d s now", m.name, again)
		return nil, tooMany(again)
	}
	if slices.Contains(m.params, "chat_id") {
		if err := p.findChat(); err != nil {
			return nil, err
		}
		if again, waits := p.chat.ban.broken(p.now); waits {
			p.violate(p.now, "%s: a call to chat %d before its wait was over; it is %d s now", m.name, p.chat.info.ID, again)
			return nil, tooMany(again)
		}
	}
	if m.reaches {
		if err := p.chat.open(p.me.ID); err != nil {
			return nil, err
		}
	}
	if err := p.spend(m.counts); err != nil {
		return nil, err
	}
	return m.do(p)
}

func (p *play) findChat() error {
	raw := strings.TrimSpace(p.q.params["chat_id"])
	if raw == "" {
		return bad("chat_id is empty")
	}
	id, err := strconv.ParseInt(raw, 10, 64)
	if err != nil {
		return bad("chat not found")
	}
	c, known := p.chats[id]
	if !known {
		return bad("chat not found")
	}
	p.chat = c
	return nil
}

// writeReply records the response before writing it, so that a client that has
// read it finds it in Calls.
func (s *Server) writeReply(w http.ResponseWriter, entry *Call, status int, body []byte) {
	s.change(func(now time.Time) {
		entry.Answered, entry.Status, entry.Answer = now, status, string(body)
	})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil { //nolint:gosec // JSON, with its content type
		s.logger.Warn("answer not delivered", "err", err)
	}
}
