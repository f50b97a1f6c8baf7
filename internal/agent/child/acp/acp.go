// Package acp implements the client side of version 1 of the Agent Client
// Protocol. The agent is a process that package child supervises.
//
// One goroutine reads the agent's messages and handles them in order. They
// become events of the turn, up to the response to the prompt. What the agent
// sends later is either a rest of that turn, which is not recorded, or the begin
// of work without a prompt, which gets another turn: see trail.begins. Requests of
// the agent (permissions, files, terminals) run concurrently with the reader and
// end with the turn.
//
// A stop sends session/cancel right after the prompt and then waits for the
// agent's response to the prompt, whatever it contains. Some agents lose a
// cancel that arrives while they are still starting the turn, so the cancel is
// repeated at most twice while the response is missing. A cancel is never sent
// after the response, so it cannot reach the next turn.
package acp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/workspace"
	"github.com/bellcord/bellcord/proc"
)

// Options configures a Speaker.
type Options struct {
	// Policy decides what the agent may do without the user's approval; nil
	// means a policy without rules.
	Policy *permit.Policy
	// Keeper runs the agent's terminals. If it is nil, terminals are not
	// offered.
	Keeper *proc.Keeper
	// Confine is the sandbox of the agent's terminals; nil for none.
	Confine *confine.Policy
	// SandboxedMode is the only mode of the agent in which its commands work in the
	// sandbox of its process; "" if all modes do.
	SandboxedMode string
	// Private lists the files that must not be read or written for the agent.
	Private workspace.Private
	// Version is Bellcord's version, sent to the agent.
	Version string
	Env     secret.Environment // for commands that run on behalf of the agent
	Logger  *slog.Logger

	// Client returns the parameters of initialize that the session's client
	// sent, or nil if there is no such client. The agent receives the client's
	// capabilities, so that it behaves as it does without Bellcord. Params
	// returns the members that the client added to its request to open a
	// session, such as MCP servers. Editor returns the editor's functions for a
	// session. All three may be nil.
	Client func() json.RawMessage
	Params func(bellcord.SessionID) acp.Members
	Editor func(bellcord.SessionID) tool.EditorTools
	// EditorTerminals makes the agent's commands run in the editor's terminals,
	// if it has any. Their end is the editor's report; Bellcord does not contain
	// them.
	EditorTerminals bool
}

// speaker is one session of an agent. The first speaker of a process can also be
// without a session, for requests that concern none.
type speaker struct {
	*link
	opts Options

	mu        sync.Mutex
	session   string          // the agent's session id; "" until Open returns, and updates before that are a replay
	opens     bool            // Open is opening the session
	importing string          // the agent's session id while its conversation is imported
	children  map[string]bool // ids of sessions of sub-agents
	turn      *turn           // nil while no turn is running
	model     string          // the current model, if the agent reports it
	title     string          // received while no turn was running; set by the next turn
	settings  settings
	warned    atomic.Bool // the user was told that commands fail in the agent's mode

	unprompted func() // accepts a turn for work without a prompt; nil if such work is ignored
	waiting    waiting
	trail      trail
}

// New returns a Speaker for a process that has just been started. Nothing is
// read or written before Open.
func New(p child.Process, opts Options) child.Speaker {
	if opts.Policy == nil {
		opts.Policy, _ = permit.NewPolicy(nil, nil, nil, nil) // cannot fail without rules
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	l := &link{wire: newWire(p.Out, p.In, opts.Logger)}
	return l.add(opts, p.Unprompted)
}

// Open implements child.Speaker. It starts the reading goroutine, which returns
// at the end of the process's output.
func (s *speaker) Open(ctx context.Context, session bellcord.Session, own string) (string, error) {
	hello, err := s.shakeHands(ctx)
	if err != nil {
		return "", err
	}
	s.expect(own)
	s.mu.Lock()
	s.opens = true
	s.mu.Unlock()
	id, err := s.openSession(ctx, session, own, hello.can)
	s.mu.Lock()
	s.session, s.opens = id, false
	s.mu.Unlock()
	return id, err
}

// Close implements child.Speaker. It fails all pending requests to the agent.
func (s *speaker) Close() { s.wire.failPending() }

// handle is called by the reader for each message, in order.
func (s *speaker) handle(m jsonrpc.Message) {
	if !s.hold(m) {
		s.dispatch(m)
	}
}

// dispatch handles a message in the running turn, or outside of turns.
func (s *speaker) dispatch(m jsonrpc.Message) {
	if t := s.running(); t != nil {
		t.noteActivity()
	}
	switch {
	case m.IsRequest():
		s.serve(m)
	case m.Method == acp.MethodUpdate:
		s.update(m.Params)
	case m.Method == acp.MethodCompleteElicitation:
		s.completeElicitation(m.Params)
	case m.Method == acp.MethodCancelRequest:
		var p acp.CancelRequestNotification
		if t := s.running(); json.Unmarshal(m.Params, &p) == nil && t != nil {
			t.withdraw(p.RequestID)
		}
	default:
		if m.Method == methodTurnEnded {
			s.endWork(m.Params)
		}
		s.passNotification(m)
	}
}

// at returns the running turn, and whether session is the id of this speaker's
// session.
func (s *speaker) at(session string) (*turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn, session != "" && (session == s.session || session == s.importing)
}

// isChild reports whether session is the session of a sub-agent.
func (s *speaker) isChild(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.children[session]
}

// running returns the running turn, or nil.
func (s *speaker) running() *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn
}

// lost returns child.ErrGone if the connection was closed, otherwise err.
func lost(err error) error {
	if errors.Is(err, jsonrpc.ErrClosed) {
		return child.ErrGone
	}
	return err
}
