package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// link is the connection to one process of an agent, with the sessions that are
// open on it.
type link struct {
	wire *wire

	// Set by the handshake, before the first turn.
	handshake sync.Mutex                // held while the handshake is performed
	reader    sync.Once                 // starts the reading goroutine
	hello     atomic.Pointer[handshake] // nil before the handshake

	updates   atomic.Int64 // number of updates received, of any session
	terminals atomic.Int64 // number of terminals so far: ids are never reused

	all      sync.Mutex // acquired before the mu of a speaker
	speakers []*speaker // the first one is that of New
	left     map[string]bool
}

// handshake is the agent's reply to initialize.
type handshake struct {
	sent  json.RawMessage // the parameters
	reply json.RawMessage
	can   acp.AgentCapabilities
	name  string // the agent's name
}

func (l *link) add(opts Options, unprompted func()) *speaker {
	s := &speaker{link: l, opts: opts, unprompted: unprompted}
	l.all.Lock()
	defer l.all.Unlock()
	l.speakers = append(l.speakers, s)
	return s
}

// Shares implements child.Sharer. A session that another process opens must be
// loaded there.
func (s *speaker) Shares() bool {
	hello := s.hello.Load()
	return hello != nil && reopening("any", hello.can) != "" && bytes.Equal(hello.sent, acp.Encode(s.introduction()))
}

// ForSession implements child.Sharer.
func (s *speaker) ForSession(unprompted func()) child.Speaker { return s.add(s.opts, unprompted) }

// leaveBound is how long an agent may take to close a session.
const leaveBound = 2 * time.Second

// Leave implements child.Sharer.
func (s *speaker) Leave() {
	s.mu.Lock()
	own := s.session
	s.mu.Unlock()
	s.all.Lock()
	s.speakers = slices.DeleteFunc(s.speakers, func(one *speaker) bool { return one == s })
	if s.left == nil {
		s.left = map[string]bool{}
	}
	s.left[own] = true
	s.all.Unlock()
	ctx, done := context.WithTimeout(s.wire.life, leaveBound)
	defer done()
	if own != "" {
		s.closeSession(ctx, own)
	}
}

// closeSession closes a session of the agent in this process.
func (l *link) closeSession(ctx context.Context, own string) {
	_ = l.wire.requestAndWait(ctx, acp.MethodCloseSession, acp.CloseSessionRequest{SessionID: own}, &json.RawMessage{}) // not all agents have it
}

// expect makes the messages of a session that has left belong to the session that
// is being opened.
func (l *link) expect(own string) {
	l.all.Lock()
	defer l.all.Unlock()
	delete(l.left, own)
}

// handle is called by the reader for each message, in order.
func (l *link) handle(m jsonrpc.Message) {
	switch m.Method {
	case acp.MethodCancelRequest, acp.MethodCompleteElicitation: // they name no session
		for _, s := range l.listed() {
			s.handle(m)
		}
		return
	}
	s := l.route(m)
	switch {
	case s != nil:
		s.handle(m)
	case m.IsRequest():
		l.wire.sendReply(m.ID, nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "no such session"})
	}
}

func (l *link) listed() []*speaker {
	l.all.Lock()
	defer l.all.Unlock()
	return slices.Clone(l.speakers)
}

// route returns the session to which a message belongs, or nil if the session has
// left the process. A session that is not known is the one that is being opened, or
// that of a sub-agent in the running turn.
func (l *link) route(m jsonrpc.Message) *speaker {
	var p received
	_ = json.Unmarshal(m.Params, &p) // invalid params contain no session id
	l.all.Lock()
	defer l.all.Unlock()
	if p.SessionID != "" && l.left[p.SessionID] {
		return nil
	}
	var best *speaker
	degree := -1
	for _, s := range l.speakers {
		if now := s.affinity(p.SessionID); now >= degree {
			best, degree = s, now
		}
	}
	return best
}

// affinity returns how likely a message with the session id belongs to this session.
func (s *speaker) affinity(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case id != "" && (id == s.session || id == s.importing || s.children[id]):
		return 3
	case id != "" && s.opens:
		return 2
	case s.turn != nil:
		return 1
	case s.session == "":
		return -1
	}
	return 0
}
