package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
)

const (
	methodElicit          = "elicitation/create"
	methodElicitCompleted = "notifications/elicitation/complete"
	methodCancelled       = "notifications/cancelled"
	// mostElicitations is the maximum number of open questions of a server.
	mostElicitations = 8
)

// errCallEnded withdraws the questions of a call that has ended.
var errCallEnded = errors.New("the call has ended")

// elicit passes a question of the server to the turn whose call is running. The
// protocol does not name the call, so if calls of several turns are running, or
// none is, the question is declined: it must not reach another user.
func (l *link) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	e := l.filter.asking()
	if e == nil {
		return &sdk.ElicitResult{Action: bellcord.ChoiceDecline}, nil
	}
	q, err := l.question(req.Params)
	if err == nil {
		err = q.ValidateForm()
	}
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
	}
	asking, withdraw := context.WithCancelCause(e.ctx)
	defer withdraw(nil)
	stop := context.AfterFunc(ctx, func() { withdraw(context.Cause(ctx)) }) // the server withdrew it, or the link ended
	defer stop()
	if id := req.Params.ElicitationID; id != "" {
		l.filter.expect(id, func() { _ = e.asker.Answer(q.ID, bellcord.Reply{Choice: bellcord.ChoiceAccept}, "the page") })
		defer l.filter.expect(id, nil)
	}
	reply, err := e.asker.AskForm(asking, q)
	if err != nil {
		return nil, err
	}
	result := &sdk.ElicitResult{Action: reply.Choice}
	if reply.Choice == bellcord.ChoiceAccept && len(q.Fields) > 0 {
		result.Content = map[string]any{}
		for name, value := range reply.Values {
			var v any
			if err := json.Unmarshal(value, &v); err != nil {
				return nil, err
			}
			result.Content[name] = v
		}
	}
	return result, nil
}

// question returns the question of an elicitation. The SDK does not keep the
// order of the fields: required ones come first, in their order.
func (l *link) question(p *sdk.ElicitParams) (bellcord.Question, error) {
	q := bellcord.Question{
		ID: bellcord.NewQuestionID(), URL: p.URL,
		Text: fmt.Sprintf("The MCP server %s asks: %s", l.server.Name, clip(p.Message, mostDescription)),
	}
	if q.URL != "" {
		return q, nil
	}
	schema, err := json.Marshal(p.RequestedSchema)
	if err != nil {
		return q, err
	}
	if q.Fields, err = form.Fields(schema); err != nil {
		return q, err
	}
	var order struct {
		Required []string `json:"required"`
	}
	_ = json.Unmarshal(schema, &order) // form.Fields has read it
	place := func(f bellcord.Field) int {
		if i := slices.Index(order.Required, f.Name); i >= 0 {
			return i
		}
		return len(order.Required)
	}
	slices.SortStableFunc(q.Fields, func(a, b bellcord.Field) int { return place(a) - place(b) })
	return q, nil
}

// asking returns the newest call whose turn can be asked, or nil if there is
// none or if calls of several turns are running.
func (d *filter) asking() *pendingCall {
	d.mu.Lock()
	defer d.mu.Unlock()
	var newest *pendingCall
	last := int64(-1)
	for _, e := range d.byToken {
		if newest != nil && e.turn != newest.turn {
			return nil
		}
		if n, err := strconv.ParseInt(e.token, 10, 64); err == nil && n > last {
			newest, last = e, n
		}
	}
	if newest == nil || newest.asker == nil {
		return nil
	}
	return newest
}

// admitsElicitation reports whether a question of the server is passed to the
// SDK, which answers each on a goroutine.
func (d *filter) admitsElicitation(req *jsonrpc.Request) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.elicits) >= mostElicitations || d.elicits[req.ID] {
		return false
	}
	d.elicits[req.ID] = true
	return true
}

// withdraws reports whether the params of a cancellation name an open question.
func (d *filter) withdraws(params json.RawMessage) bool {
	var p struct {
		RequestID any `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return false
	}
	id, err := jsonrpc.MakeID(p.RequestID)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil || !d.elicits[id] || d.withdrawn[id] {
		return false
	}
	d.withdrawn[id] = true // the SDK gets one cancellation for each question
	return true
}

// answeredElicitation removes a question whose response is about to be written.
func (d *filter) answeredElicitation(id jsonrpc.ID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.elicits, id)
	delete(d.withdrawn, id)
}

// expect sets what happens when the server reports that the user is done on the
// page of an elicitation; nil removes it.
func (d *filter) expect(elicitation string, done func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if done == nil {
		delete(d.pages, elicitation)
		return
	}
	d.pages[elicitation] = done
}

// completed closes the question of a page on which the user is done.
func (d *filter) completed(params json.RawMessage) {
	var p struct {
		ID string `json:"elicitationId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	d.mu.Lock()
	done := d.pages[p.ID]
	delete(d.pages, p.ID)
	d.mu.Unlock()
	if done != nil {
		done()
	}
}
