package acp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// mostRequests is the maximum number of concurrent requests of an agent.
const mostRequests = 256

// errWithdrawn ends a request that the agent has cancelled.
var errWithdrawn = errors.New("the agent withdrew the request")

// serve handles a request of the agent. It is called by the reader and does not
// block: the work runs in a goroutine and ends with the turn.
func (s *speaker) serve(m jsonrpc.Message) {
	do := services[m.Method]
	if do == nil {
		s.passRequest(m)
		return
	}
	var p struct {
		Session string `json:"sessionId"`
	}
	_ = json.Unmarshal(m.Params, &p)                                        // invalid params contain no session id
	ofRequest := m.Method == acp.MethodCreateElicitation && p.Session == "" // it belongs to a request, such as the prompt
	if _, ours := s.at(p.Session); !ours && !s.isChild(p.Session) && !ofRequest {
		s.wire.sendReply(m.ID, nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "no such session"})
		return
	}
	t, ctx := s.admit(m)
	switch {
	case t != nil:
	case m.Method == acp.MethodRequestPermission:
		s.wire.sendReply(m.ID, acp.CancelledPermission(), nil)
		return
	case m.Method == acp.MethodCreateElicitation: // nobody is asked outside of a turn
		s.wire.sendReply(m.ID, acp.CreateElicitationResponse{Action: acp.ElicitCancel}, nil)
		return
	default:
		s.wire.sendReply(m.ID, nil, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "no turn is running"})
		return
	}
	work := do(t, m.Params)
	go func() { // finish waits for it
		defer t.work.Done()
		result, err := work(ctx)
		if err != nil && ctx.Err() != nil {
			err = &jsonrpc.Error{Code: jsonrpc.RequestCancelled, Message: context.Cause(ctx).Error()}
		}
		t.removeRequest(m.ID)
		s.wire.sendReply(m.ID, result, err)
	}()
}

// passRequest passes a request that Bellcord does not serve on to the client. It
// ends when the agent's process ends, at the latest.
func (s *speaker) passRequest(m jsonrpc.Message) {
	client := s.settings.connected()
	if client == nil {
		s.wire.sendReply(m.ID, nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "unknown method " + m.Method})
		return
	}
	go func() {
		reply, err := client.Request(s.wire.life, m.Method, s.forClient(client, m.Params))
		s.wire.sendReply(m.ID, reply, err)
	}()
}

// service implements one method. It is called by the reader, in the order of
// the messages, and returns the work to be done concurrently.
type service func(t *turn, params json.RawMessage) func(context.Context) (any, error)

var services = map[string]service{
	acp.MethodRequestPermission: (*turn).requestPermission,
	acp.MethodCreateElicitation: parsed((*turn).createElicitation),
	acp.MethodReadTextFile:      parsed((*turn).readFile),
	acp.MethodWriteTextFile:     parsed((*turn).writeFile),
	acp.MethodCreateTerminal:    parsed((*turn).createTerminal),
	acp.MethodTerminalOutput:    parsed((*turn).terminalOutput),
	acp.MethodWaitForExit:       parsed((*turn).waitForExit),
	acp.MethodKillTerminal:      parsed((*turn).killTerminal),
	acp.MethodReleaseTerminal:   parsed((*turn).releaseTerminal),
}

// parsed returns a service that does all of its work concurrently with the
// reader.
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

// admit registers a request with the running turn. It returns nil if no turn is
// running or the turn has too many requests.
func (s *speaker) admit(m jsonrpc.Message) (*turn, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turn
	if t == nil || t.isClosed() || len(t.requests) >= mostRequests {
		return nil, nil
	}
	ctx, withdraw := context.WithCancelCause(t.pending) // cancelled when the agent withdraws this request
	t.requests[string(m.ID)] = withdraw
	t.work.Add(1)
	return t, ctx
}

// withdraw cancels a request that the agent has withdrawn.
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
		withdraw(errOver) // releases its context
	}
}
