package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/bellcord/bellcord/internal/tool"
)

// filter filters all messages from a server before the SDK receives them, and
// passes on only responses, changes of the tool list, and a limited number of
// questions to the user. The SDK queues
// messages without a limit and answers each request on a new goroutine, so a
// server that floods it would exhaust the memory.
type filter struct {
	forwarded atomic.Bool // the SDK has not yet handled the last change of the tools
	tokens    atomic.Int64

	mu      sync.Mutex
	byToken map[string]*pendingCall
	byID    map[jsonrpc.ID]*pendingCall

	elicits   map[jsonrpc.ID]bool // open questions of the server, by its request ids
	withdrawn map[jsonrpc.ID]bool // those that the server has cancelled
	pages     map[string]func()   // called when the user is done on a page, by elicitation id
}

func newFilter() *filter {
	return &filter{
		byToken: map[string]*pendingCall{}, byID: map[jsonrpc.ID]*pendingCall{},
		elicits: map[jsonrpc.ID]bool{}, withdrawn: map[jsonrpc.ID]bool{}, pages: map[string]func(){},
	}
}

// open registers a call. The questions of the server during the call go to the
// call's turn, until ctx ends.
func (d *filter) open(ctx context.Context, call tool.Call) *pendingCall {
	e := newPendingCall(d.tokens.Add(1))
	e.ctx, e.turn, e.asker, e.media = ctx, call.Turn, call.Asker, call.Media
	d.mu.Lock()
	defer d.mu.Unlock()
	d.byToken[e.token] = e
	return e
}

// dropCall removes the call. Later messages for it are dropped.
func (d *filter) dropCall(e *pendingCall) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byToken, e.token)
	for id, other := range d.byID {
		if other == e {
			delete(d.byID, id)
		}
	}
}

// leaves registers a message that is about to be written. It returns the call
// that the message belongs to, or nil, and whether it cancels that call.
func (d *filter) leaves(ctx context.Context, msg jsonrpc.Message) (e *pendingCall, cancels bool) {
	if r, ok := msg.(*jsonrpc.Response); ok {
		d.answeredElicitation(r.ID)
	}
	e = pendingCallOf(ctx)
	req, ok := msg.(*jsonrpc.Request)
	if e == nil || !ok {
		return nil, false
	}
	if req.Method == "notifications/cancelled" {
		return e, true
	}
	if !req.IsCall() {
		return nil, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.byToken[e.token] == e {
		d.byID[req.ID] = e
	}
	return e, false
}

// comes decides on a message from the server: whether to pass it to the SDK,
// and what to reply immediately. It never blocks.
func (d *filter) comes(msg jsonrpc.Message) (pass bool, reply *jsonrpc.Response) {
	switch m := msg.(type) {
	case *jsonrpc.Response:
		d.mu.Lock()
		e := d.byID[m.ID]
		delete(d.byID, m.ID)
		d.mu.Unlock()
		if e != nil {
			e.answered.Store(true)
		}
		return true, nil
	case *jsonrpc.Request:
		if m.IsCall() {
			if m.Method == methodElicit && d.admitsElicitation(m) {
				return true, nil
			}
			return false, refusal(m)
		}
		switch m.Method {
		case "notifications/progress":
			d.progress(m.Params)
		case methodElicitCompleted:
			d.completed(m.Params)
		case methodCancelled:
			return d.withdraws(m.Params), nil
		case "notifications/tools/list_changed":
			return d.forwarded.CompareAndSwap(false, true), nil // the SDK has a cache to clear
		}
	}
	return false, nil
}

// refusal returns the reply to a request of the server: an empty result for a
// ping, "not supported" for all other methods.
func refusal(req *jsonrpc.Request) *jsonrpc.Response {
	if req.Method == "ping" {
		return &jsonrpc.Response{ID: req.ID, Result: json.RawMessage(`{}`)}
	}
	return &jsonrpc.Response{ID: req.ID, Error: &jsonrpc.Error{
		Code: jsonrpc.CodeMethodNotFound, Message: "not supported: " + clip(req.Method, 100),
	}}
}

func (d *filter) progress(params json.RawMessage) {
	var p struct {
		Token    string   `json:"progressToken"`
		Progress float64  `json:"progress"`
		Total    *float64 `json:"total"`
		Message  string   `json:"message"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	d.mu.Lock()
	e := d.byToken[p.Token]
	d.mu.Unlock()
	if e == nil {
		return // the call has ended
	}
	line := fmt.Sprintf("%g", p.Progress)
	if p.Total != nil {
		line += fmt.Sprintf("/%g", *p.Total)
	}
	if p.Message != "" {
		line += " " + p.Message
	}
	e.progress(line)
}
