package acp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/acp/updates"
)

// session is a session that the client has open, with the state needed to show
// it.
type session struct {
	server *Server
	hub    *hub.Hub
	id     bellcord.SessionID
	client string // the client's id of the session
	book   *book
	view   view

	settingsFromAgent bool                  // the settings are the hosted agent's; protected by Server.mu
	agentCommands     []string              // their names, sorted; protected by Server.mu
	agentOptions      json.RawMessage       // as last reported; protected by Server.mu
	modes             *acp.SessionModeState // of the agent, if they are shown as an option; protected by Server.mu
	shown             bool                  // the settings of the agent were sent; protected by Server.mu
	early             []json.RawMessage     // the agent's updates until then; protected by Server.mu

	undos *openUndos // never nil

	following context.Context // the follower's context; no turn depends on it
	unfollow  context.CancelCauseFunc
	followed  chan struct{} // closed when the follower has ended

	stopsAlone bool   // its turns are stopped if no client watches them; only on the network
	leave      func() // ends the watch of a network connection; nil on stdio

	// Used only by the follower and, after it has ended, by its successor.
	show      *updates.Encoder
	at        int64 // sequence number of the last event seen
	sent      cursor
	questions map[string]openQuestion // without an answer, by id

	reached milestone // the position of the follower, for other goroutines
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
	sess := &session{server: s, hub: hub, id: id, client: s.clientIDOf(id), book: newBook(), undos: &openUndos{}, followed: make(chan struct{})}
	sess.following, sess.unfollow = context.WithCancelCause(context.Background())
	version := s.speaks()
	sess.view = version.view(sess)
	sess.show = updates.New(updates.Client{
		Send: sess.sendFromLog, SendChild: sess.sendChild, RequestPermission: sess.requestPermission, Elicit: sess.elicit,
		Options: sess.options, AgentModes: sess.agentModes, Dir: sess.dir, Size: s.contextSize,
		Shows: s.clientShows(), Hosted: sess.isHosted(), Stopped: version.stoppedCall(),
	})
	s.mu.Lock()
	old := s.sessions[id]
	if old != nil {
		sess.book, sess.undos = old.book, old.undos
		sess.view.inherit(old.view)
	}
	s.sessions[id] = sess
	if s.ending { // the client has already left
		sess.unfollow(errGone)
	}
	s.mu.Unlock()
	if old != nil {
		old.unfollow(errReplaced)
		<-old.followed
		sess.at, sess.questions = old.at, old.questions
		sess.show.Inherit(old.show)
		sess.stopsAlone = old.stopsAlone
		old.stopWatching()
	}
	sess.startWatching()
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
	s.reached.advance(s.at)
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			s.lost(err)
			return
		}
		for _, ev := range events {
			_ = s.server.conn.WaitWritable(ctx)                                                                       // on error the client has left and updates are discarded
			if _, prompted := ev.Body.(bellcord.TurnAccepted); !prompted || s.view.echoes() || !s.book.has(ev.Turn) { // version 1 does not send the client's own prompts back
				s.see(ev)
			}
			s.at = ev.Seq
		}
		s.reached.advance(s.at)
	}
}

func (s *session) see(ev bellcord.Event) {
	s.sent.begin(ev)
	s.trackQuestions(ev)
	s.view.begin(ev)
	s.show.Event(ev)
	s.view.end(ev)
	if ended, is := ev.Body.(bellcord.TurnEnded); is {
		s.view.settled(ev.Turn, ended.Receipt, s.show.Finish(), s.sendState)
	}
	s.sent.end()
}

// watch answers the prompt of a turn that ended without an event in the log:
// the session was deleted, or the store is not writable.
func (s *session) watch(turn *hub.Turn) {
	<-turn.Settled()
	r := turn.Receipt()
	switch {
	case errors.Is(turn.Accepted(context.Background()), bellcord.ErrTurnExists):
		s.adopt(turn.ID, turn.Prompt.Text)
	case r.EndNotDurable:
		s.view.settled(turn.ID, r, "", s.sendNow)
	}
}

// lost answers the pending prompts with an error when the log can no longer be
// followed, unless a successor follows it.
func (s *session) lost(err error) {
	if s.following.Err() != nil { // the store returns another error for a context that has ended
		err = context.Cause(s.following)
	}
	if errors.Is(err, errReplaced) {
		return
	}
	if errors.Is(err, errGone) {
		err = bellcord.ErrClosed
	}
	for turn, owed := range s.book.open() {
		switch {
		case owed.inserted:
		case owed.request == nil:
			continue
		default:
			s.server.conn.ReplyError(owed.request, s.server.wireError(err))
		}
		s.book.removePrompt(turn)
	}
}

// options returns all settings, for an update after a change in any process.
func (s *session) options() acp.Update {
	v, err := s.hub.Refresh(s.server.life, s.id)
	if err != nil {
		return nil // the session was closed
	}
	if !s.agentModes() {
		return acp.ConfigOptionUpdate{ConfigOptions: s.server.options(v)}
	}
	update := acp.Members{}
	update.Set("sessionUpdate", "config_option_update")
	update.Set("configOptions", s.server.withMode(s.withAgentModes(s.lastAgentOptions()), v))
	data, err := json.Marshal(update)
	if err != nil {
		return nil
	}
	return acp.RawUpdate(data)
}

// agentModes reports whether the session's modes and options are the hosted
// agent's.
func (s *session) agentModes() bool {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return s.settingsFromAgent
}

func (s *session) dir() string { return s.settings().Dir }

// settings returns the session, without I/O.
func (s *session) settings() bellcord.Session {
	v, _ := s.hub.Configure(s.id, bellcord.SessionUpdated{})
	return v
}

// update sends an update that is not from the log.
func (s *session) update(u acp.Update) { s.view.show(u, s.sendNow) }

func (s *session) sendNow(update any) {
	s.server.conn.Notify(acp.MethodUpdate, notification{SessionID: s.client, Update: update})
}

// notification contains an update in the negotiated version.
type notification struct {
	SessionID string   `json:"sessionId"`
	Update    any      `json:"update"`
	Meta      acp.Meta `json:"_meta,omitzero"`
}
