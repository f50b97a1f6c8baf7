package acp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// mostRequests is how many things an agent may ask for at the same time.
const mostRequests = 256

// errWithdrawn ends a request that the agent no longer wants answered.
var errWithdrawn = errors.New("the agent withdrew the request")

// serve sees to a request of the agent's. The reader calls it and waits for
// nothing: the work is done beside it, and ends with the turn.
func (s *speaker) serve(m jsonrpc.Message) {
	do := services[m.Method]
	if do == nil {
		s.wire.sendReply(m.ID, nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "unknown method " + m.Method})
		return
	}
	var p struct {
		Session string `json:"sessionId"`
	}
	_ = json.Unmarshal(m.Params, &p) // what cannot be read names no session
	if _, ours := s.at(p.Session); !ours {
		s.wire.sendReply(m.ID, nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "no such session"})
		return
	}
	t, ctx := s.admit(m)
	switch {
	case t != nil:
	case m.Method == acp.MethodRequestPermission:
		s.wire.sendReply(m.ID, acp.CancelledPermission(), nil)
		return
	default:
		s.wire.sendReply(m.ID, nil, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "no turn is running"})
		return
	}
	work := do(t, m.Params)
	go func() { // waited for by finish
		defer t.work.Done()
		result, err := work(ctx)
		if err != nil && ctx.Err() != nil {
			err = &jsonrpc.Error{Code: jsonrpc.RequestCancelled, Message: context.Cause(ctx).Error()}
		}
		t.removeRequest(m.ID)
		s.wire.sendReply(m.ID, result, err)
	}()
}

// service is one method. It is called by the reader, in the order of the wire,
// and returns what is left to do beside it.
type service func(t *turn, params json.RawMessage) func(context.Context) (any, error)

var services = map[string]service{
	acp.MethodRequestPermission: (*turn).requestPermission,
	acp.MethodReadTextFile:      parsed((*turn).readFile),
	acp.MethodWriteTextFile:     parsed((*turn).writeFile),
	acp.MethodCreateTerminal:    parsed((*turn).createTerminal),
	acp.MethodTerminalOutput:    parsed((*turn).terminalOutput),
	acp.MethodWaitForExit:       parsed((*turn).waitForExit),
	acp.MethodKillTerminal:      parsed((*turn).killTerminal),
	acp.MethodReleaseTerminal:   parsed((*turn).releaseTerminal),
}

// parsed is a service that does all of its work beside the reader.
func parsed[P any](do func(*turn, context.Context, P) (any, error)) service {
	return func(t *turn, params json.RawMessage) func(context.Context) (any, error) {
		return func(ctx context.Context) (any, error) {
			var p P
			if err := json.Unmarshal(params, &p); err != nil {
				return nil, invalid(err.Error())
			}
			return do(t, ctx, p)
		}
	}
}

func invalid(why string) error { return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: why} }

// admit notes a request as the running turn's; nil when none runs that it could
// be for, or when it has too many.
func (s *speaker) admit(m jsonrpc.Message) (*turn, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turn
	if t == nil || t.isClosed() || len(t.requests) >= mostRequests {
		return nil, nil
	}
	ctx, withdraw := context.WithCancelCause(t.errands) // of one request of the agent's, which may withdraw it
	t.requests[string(m.ID)] = withdraw
	t.work.Add(1)
	return t, ctx
}

// withdraw ends a request that the agent takes back.
func (t *turn) withdraw(id json.RawMessage) {
	t.speaker.mu.Lock()
	withdraw := t.requests[string(id)]
	t.speaker.mu.Unlock()
	if withdraw != nil {
		withdraw(errWithdrawn)
	}
}

func (t *turn) removeRequest(id json.RawMessage) {
	t.speaker.mu.Lock()
	withdraw := t.requests[string(id)]
	delete(t.requests, string(id))
	t.speaker.mu.Unlock()
	if withdraw != nil {
		withdraw(errOver) // frees its context
	}
}
