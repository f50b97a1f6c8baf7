package acp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
)

// session is one that the client has open, and what has to be remembered to
// show it.
type session struct {
	server *Server
	hub    *hub.Hub
	id     bellcord.SessionID
	book   *book

	following context.Context // the follower's; no turn hangs on it
	unfollow  context.CancelCauseFunc
	followed  chan struct{} // closed when the follower has ended

	// Used by the follower alone, and by its successor.
	show encoder
	at   int64 // the last event it has seen
}

// Why a follower ends.
var (
	errGone     = errors.New("the client has left")
	errReplaced = errors.New("the client has opened the session again")
)

// open makes the session the one that the client sees. One that it had open is
// succeeded: what it owes the client, answers and dialogs, goes over, and what
// the client has been shown. The
// caller starts the follower.
func (s *Server) open(hub *hub.Hub, id bellcord.SessionID) *session {
	sess := &session{server: s, hub: hub, id: id, book: newBook(), followed: make(chan struct{})}
	sess.following, sess.unfollow = context.WithCancelCause(context.Background())
	sess.show = encoder{
		send: sess.update, ask: sess.askPermission, options: sess.options, dir: sess.dir, size: s.contextSize,
		seen: seen{prompts: map[bellcord.TurnID]bellcord.Prompt{}},
	}
	s.mu.Lock()
	old := s.sessions[id]
	if old != nil {
		sess.book = old.book
	}
	s.sessions[id] = sess
	if s.ending { // it came too late to be seen by anybody
		sess.unfollow(errGone)
	}
	s.mu.Unlock()
	if old != nil {
		old.unfollow(errReplaced)
		<-old.followed
		sess.at, sess.show.seen = old.at, old.show.seen
	}
	return sess
}

// follow sends what the log says, until the client has left.
func (s *session) follow() {
	defer close(s.followed)
	ctx := s.following
	cursor, err := s.hub.Events(ctx, s.id, s.at)
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
			_ = s.server.conn.Room(ctx)                                                            // when the client has left, what is sent goes nowhere
			if _, prompted := ev.Body.(bellcord.TurnAccepted); !prompted || !s.book.has(ev.Turn) { // it knows what it said
				s.see(ev)
			}
			s.at = ev.Seq
		}
	}
}

func (s *session) see(ev bellcord.Event) {
	s.show.event(ev)
	if ended, is := ev.Body.(bellcord.TurnEnded); is {
		s.answerPrompt(ev.Turn, ended.Receipt, s.show.finish)
	}
}

// answerPrompt answers the prompt whose turn has ended; only then is it off the book.
func (s *session) answerPrompt(turn bellcord.TurnID, r bellcord.Receipt, finish bellcord.Finish) {
	request, ours := s.book.request(turn)
	if !ours {
		return
	}
	defer s.book.removePrompt(turn)
	reason, failed := stopReason(r, finish)
	receipt, err := json.Marshal(r)
	if err != nil {
		receipt = nil
	}
	if failed != nil {
		failed.Data = receipt
		s.server.conn.ReplyError(request, failed)
		return
	}
	s.server.conn.Reply(request, acp.PromptResponse{StopReason: reason, Meta: acp.Meta{"bellcord/receipt": json.RawMessage(receipt)}})
}

// watch answers a prompt whose end never came into the log: its session was
// deleted, or the store cannot be written.
func (s *session) watch(turn *hub.Turn) {
	<-turn.Settled()
	if r := turn.Receipt(); r.EndNotDurable {
		s.answerPrompt(turn.ID, r, "")
	}
}

// lost answers what is still open when the log can no longer be followed,
// unless a successor does.
func (s *session) lost(err error) {
	if errors.Is(err, errReplaced) {
		return
	}
	if errors.Is(err, errGone) {
		err = bellcord.ErrClosed
	}
	for turn, owed := range s.book.open() {
		if owed.request == nil {
			continue
		}
		s.server.conn.ReplyError(owed.request, wireError(err))
		s.book.removePrompt(turn)
	}
}

func (s *session) options() []acp.SessionConfigOption {
	v, err := s.hub.Configure(s.id, bellcord.SessionUpdated{})
	if err != nil {
		return nil // closed meanwhile
	}
	return s.server.options(v)
}

func (s *session) dir() string {
	v, _ := s.hub.Configure(s.id, bellcord.SessionUpdated{}) // reads the session, without I/O
	return v.Dir
}

func (s *session) update(u acp.Update) {
	s.server.conn.Notify(acp.MethodUpdate, acp.SessionNotification{SessionID: string(s.id), Update: acp.SessionUpdate{Value: u}})
}
