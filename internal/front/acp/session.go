package acp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
)

// session is a session that the client has open, with the state needed to show
// it.
type session struct {
	server *Server
	hub    *hub.Hub
	id     bellcord.SessionID
	book   *book

	following context.Context // the follower's context; no turn depends on it
	unfollow  context.CancelCauseFunc
	followed  chan struct{} // closed when the follower has ended

	// Used only by the follower and, after it has ended, by its successor.
	show encoder
	at   int64 // sequence number of the last event seen
}

// Reasons for a follower to end.
var (
	errGone     = errors.New("the client has left")
	errReplaced = errors.New("the client has opened the session again")
)

// open returns a new session and registers it under id. If the client already
// had it open, open waits for the old follower to end and takes over its
// pending replies, its dialogs and its position in the log. The caller starts
// the new follower.
func (s *Server) open(hub *hub.Hub, id bellcord.SessionID) *session {
	sess := &session{server: s, hub: hub, id: id, book: newBook(), followed: make(chan struct{})}
	sess.following, sess.unfollow = context.WithCancelCause(context.Background())
	sess.show = encoder{
		send: sess.update, requestPermission: sess.askPermission, options: sess.options, dir: sess.dir, size: s.contextSize,
		seen: seen{prompts: map[bellcord.TurnID]bellcord.Prompt{}},
	}
	s.mu.Lock()
	old := s.sessions[id]
	if old != nil {
		sess.book = old.book
	}
	s.sessions[id] = sess
	if s.ending { // the client has already left
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

// follow sends the events of the log until its context ends or the log cannot
// be read.
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
			_ = s.server.conn.WaitWritable(ctx)                                                    // on error the client has left and updates are discarded
			if _, prompted := ev.Body.(bellcord.TurnAccepted); !prompted || !s.book.has(ev.Turn) { // the client's own prompts are not sent back
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

// answerPrompt answers the prompt of an ended turn and then removes it from the
// book.
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

// watch answers the prompt of a turn that ended without an event in the log:
// the session was deleted, or the store is not writable.
func (s *session) watch(turn *hub.Turn) {
	<-turn.Settled()
	if r := turn.Receipt(); r.EndNotDurable {
		s.answerPrompt(turn.ID, r, "")
	}
}

// lost answers the pending prompts with an error when the log can no longer be
// followed, unless a successor follows it.
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
		return nil // the session was closed
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
