// Package acp speaks version 1 of the Agent Client Protocol with a hosted agent:
// it is the client, the agent is a process of the supervisor's.
//
// One goroutine reads what the agent writes and handles it in that order: what
// the agent does becomes events of the turn, and behind the prompt's answer
// nothing does. What the agent asks for (a permission, a file, a terminal) is
// seen to beside it, and no longer than the turn lasts.
//
// A stop is a session/cancel right behind the prompt, and then the agent's own
// answer to that prompt is waited for, whatever it says. Agents exist that lose
// a cancel which comes while they are still starting the turn, so one that has
// not answered is told again, twice at most and only before it has answered: a
// cancel never reaches the next turn, and between turns it means nothing.
package acp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/proc"
)

// Options are what a speaker needs besides the process.
type Options struct {
	// Policy decides what the agent may do without asking; nil has no rules.
	Policy *permit.Policy
	// Keeper runs the agent's terminals; without one none are offered.
	Keeper *proc.Keeper
	// Private is out of reach of the files that are read and written for the agent.
	Private tool.Private
	// Version is ours, which the agent is told.
	Version string
	Env     secret.Environment // of the commands that the agent has us run
	Logger  *slog.Logger
}

// speaker speaks with one process of an agent.
type speaker struct {
	opts Options
	wire *wire

	// Set by Open, before there are turns.
	images bool   // it takes them
	name   string // what the agent calls itself

	mu        sync.Mutex
	session   string // the agent's own id of it, once Open is through: before, all that is sent is a replay
	turn      *turn  // nil while none runs
	model     string // the one it uses now, if it tells
	terminals int    // that there have been: an id is never used again
	title     string // that came while no turn ran; the next one has it
}

// New returns a speaker for a process that has just been started. Nothing is
// read or written before Open.
func New(p child.Process, opts Options) child.Speaker {
	if opts.Policy == nil {
		opts.Policy, _ = permit.NewPolicy(nil, nil, nil, nil) // no rules, so none that cannot be read
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return &speaker{opts: opts, wire: newWire(p.Out, p.In, opts.Logger)}
}

// Open implements child.Speaker. The reader that it starts ends with what the
// process writes.
func (s *speaker) Open(ctx context.Context, session bellcord.Session, own string) (string, error) {
	go s.wire.read(s.handle)
	can, err := s.hello(ctx)
	if err != nil {
		return "", err
	}
	id, err := s.openSession(ctx, session.Dir, own, can)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	s.session = id
	s.mu.Unlock()
	return id, nil
}

// Close implements child.Speaker: nobody waits for the agent any more.
func (s *speaker) Close() { s.wire.failPending() }

// handle is called by the reader, in the order of the wire.
func (s *speaker) handle(m jsonrpc.Message) {
	switch {
	case m.IsRequest():
		s.serve(m)
	case m.Method == acp.MethodUpdate:
		s.update(m.Params)
	case m.Method == acp.MethodCancelRequest:
		var p acp.CancelRequestNotification
		if t := s.running(); json.Unmarshal(m.Params, &p) == nil && t != nil {
			t.withdraw(p.RequestID)
		}
	}
}

// at is the turn that a session of the agent's runs, and whether it is ours.
func (s *speaker) at(session string) (*turn, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn, session != "" && session == s.session
}

// running is the turn there is, nil when there is none.
func (s *speaker) running() *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn
}

// lost says why an answer did not come: the process is gone, if that is why.
func lost(err error) error {
	if errors.Is(err, jsonrpc.ErrClosed) {
		return child.ErrGone
	}
	return err
}
