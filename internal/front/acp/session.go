package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/bellcord/bellcord"
)

// session is one that the client has open, and what has to be remembered to
// show it.
type session struct {
	server *Server
	hub    *bellcord.Hub
	id     bellcord.SessionID
	show   encoder // used by the follower alone

	following context.Context // the follower's; no turn hangs on it
	unfollow  context.CancelCauseFunc

	mu      sync.Mutex
	left    bool                                // the client is no longer interested
	prompts map[bellcord.TurnID]json.RawMessage // our prompts that have no answer yet, by turn
	idle    chan struct{}                       // closed while there are none
}

func (s *Server) open(hub *bellcord.Hub, id bellcord.SessionID) *session {
	idle := make(chan struct{})
	close(idle)
	sess := &session{
		server: s, hub: hub, id: id,
		prompts: map[bellcord.TurnID]json.RawMessage{},
		idle:    idle,
	}
	sess.following, sess.unfollow = context.WithCancelCause(context.Background()) //nolint:forbidigo // for reading the log; no turn hangs on it
	sess.show = encoder{
		send: sess.update, ask: sess.askPermission, options: sess.options,
		size: contextSize, prompts: map[bellcord.TurnID]string{},
	}
	s.mu.Lock()
	old := s.sessions[id]
	s.sessions[id] = sess
	if s.ending { // it came too late to be seen by anybody
		sess.unfollow(errGone)
	}
	s.mu.Unlock()
	if old != nil {
		old.leave()
	}
	return sess
}

var errGone = errors.New("the client has left")

// leave ends the follower as soon as every prompt has its answer.
func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
	if len(s.prompts) == 0 {
		s.unfollow(errGone)
	}
}

// expect notes, before the turn exists, which request it will answer.
func (s *session) expect(turn bellcord.TurnID, request json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.prompts) == 0 {
		s.idle = make(chan struct{})
	}
	s.prompts[turn] = request
}

// forget takes a prompt off the list and returns its request.
func (s *session) forget(turn bellcord.TurnID) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	request, ours := s.prompts[turn]
	delete(s.prompts, turn)
	if ours && len(s.prompts) == 0 {
		close(s.idle)
		if s.left {
			s.unfollow(errGone)
		}
	}
	return request, ours
}

func (s *session) ours(turn bellcord.TurnID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ours := s.prompts[turn]
	return ours
}

func (s *session) turnOf(request json.RawMessage) bellcord.TurnID {
	s.mu.Lock()
	defer s.mu.Unlock()
	for turn, r := range s.prompts {
		if bytes.Equal(r, request) {
			return turn
		}
	}
	return ""
}

// answered waits until every prompt of the session has its answer.
func (s *session) answered(ctx context.Context) error {
	s.mu.Lock()
	idle := s.idle
	s.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// follow sends what the log says after the given place, until the client has
// left and every prompt has its answer.
func (s *session) follow(after int64) {
	ctx := s.following
	cursor, err := s.hub.Events(ctx, s.id, after)
	if err != nil {
		s.lost(err)
		return
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			s.lost(err)
			return
		}
		for _, ev := range events {
			s.see(ctx, ev)
		}
	}
}

func (s *session) see(ctx context.Context, ev bellcord.Event) {
	_ = s.server.conn.Room(ctx) // when the client has left, what is sent goes nowhere
	if _, prompted := ev.Body.(bellcord.Prompted); prompted && s.ours(ev.Turn) {
		return // the client knows what it said
	}
	s.show.event(ev)
	if ended, is := ev.Body.(bellcord.Ended); is {
		s.end(ev.Turn, ended.Receipt)
	}
}

// end answers the prompt whose turn has ended.
func (s *session) end(turn bellcord.TurnID, r bellcord.Receipt) {
	request, ours := s.forget(turn)
	if !ours {
		return
	}
	reason, failed := stopReason(r, s.show.finish)
	receipt, err := json.Marshal(r)
	if err != nil {
		receipt = nil
	}
	if failed != nil {
		failed.Data = receipt
		s.server.conn.ReplyError(request, failed)
		return
	}
	s.server.conn.Reply(request, map[string]any{
		"stopReason": reason,
		"_meta":      map[string]any{"bellcord/receipt": json.RawMessage(receipt)},
	})
}

// lost answers what is still open when the log can no longer be followed.
func (s *session) lost(err error) {
	if errors.Is(err, errGone) {
		err = bellcord.ErrClosed
	}
	s.mu.Lock()
	open := s.prompts
	s.prompts = map[bellcord.TurnID]json.RawMessage{}
	if len(open) > 0 {
		close(s.idle)
	}
	s.mu.Unlock()
	for _, request := range open {
		s.server.conn.ReplyError(request, wireError(err))
	}
}

func (s *session) options() []obj {
	v, err := s.hub.Configure(s.id, bellcord.Configured{})
	if err != nil {
		return nil // closed meanwhile
	}
	return s.server.options(v)
}

func (s *session) update(u any) {
	s.server.conn.Notify("session/update", map[string]any{"sessionId": s.id, "update": u})
}
