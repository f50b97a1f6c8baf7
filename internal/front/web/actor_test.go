package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// actor is a fake agent. The first word of the prompt selects what it does.
type actor struct {
	gate chan struct{} // closed to end "wait" and "linger"
	open sync.Once

	mu      sync.Mutex
	prompts map[bellcord.TurnID]bellcord.Prompt // received prompts
}

func newActor() *actor {
	return &actor{gate: make(chan struct{}), prompts: map[bellcord.TurnID]bellcord.Prompt{}}
}

// release lets "wait" and "linger" turns continue.
func (a *actor) release() { a.open.Do(func() { close(a.gate) }) }

// given returns the prompt that the agent received for a turn.
func (a *actor) given(id bellcord.TurnID) (bellcord.Prompt, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p, ran := a.prompts[id]
	return p, ran
}

func (a *actor) Run(ctx context.Context, w *hub.Work) error {
	a.mu.Lock()
	a.prompts[w.Turn] = w.Prompt
	a.mu.Unlock()
	verb, rest, _ := strings.Cut(w.Prompt.Text, " ")
	switch verb {
	case "hang": // until it is stopped
		err := emitText(ctx, w, rest)
		<-ctx.Done()
		return err
	case "wait": // until it is released or stopped
		err := emitText(ctx, w, rest)
		select {
		case <-a.gate:
		case <-ctx.Done():
		}
		return err
	case "linger": // after a stop, until it is released
		err := emitText(ctx, w, rest)
		<-ctx.Done()
		<-a.gate
		return err
	case "ask", "guard":
		choice, err := w.Ask(ctx, bellcord.Question{Text: rest, Requires: map[string]bellcord.Scope{"guard": bellcord.ScopeAdmin}[verb], Choices: []bellcord.Choice{
			{ID: "yes", Text: "Yes", Kind: "allow_once"}, {ID: "no", Text: "No", Kind: "reject_once"},
		}})
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: choice}))
	case "form":
		reply, err := w.AskForm(ctx, bellcord.Question{Text: rest, Fields: []bellcord.Field{
			{Name: "env", Type: bellcord.FieldString, Required: true, Options: []bellcord.Option{{Value: "dev"}, {Value: "prod"}}},
			{Name: "count", Type: bellcord.FieldInteger, Minimum: new(1.0), Maximum: new(9.0)},
		}})
		values, _ := json.Marshal(reply.Values)
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: reply.Choice + " " + string(values)}))
	case "call": // a command with a result
		return errors.Join(
			w.Emit(bellcord.ToolCallRequested{Call: "c1", Name: "shell", Arguments: fmt.Appendf(nil, `{"command":%q}`, rest)}),
			w.Emit(bellcord.ToolCallStarted{Call: "c1"}),
			w.Emit(bellcord.ToolCallEnded{Call: "c1", Outcome: bellcord.CallFinished, Result: "the secret plan hunter2"}))
	case "spend":
		return spend(ctx, w, 1)
	case "steps":
		n, _ := strconv.Atoi(rest)
		return spend(ctx, w, n)
	case "stream":
		n, _ := strconv.Atoi(rest)
		return stream(ctx, w, n)
	}
	return emitText(ctx, w, rest)
}

func emitText(ctx context.Context, w *hub.Work, text string) error {
	return errors.Join(w.Emit(bellcord.TextDelta{Text: text}), w.Sync(ctx))
}

// spend makes n model requests; each uses 10 input and 5 output tokens.
func spend(ctx context.Context, w *hub.Work, n int) error {
	for i := range n {
		if err := w.Step(ctx, bellcord.StepStarted{Step: i + 1, Model: "fake/default", EstimatedInput: 10}); err != nil {
			return err
		}
		used := &bellcord.Usage{InputTokens: 10, OutputTokens: 5, Exact: true}
		if err := errors.Join(w.Emit(bellcord.TextDelta{Text: "."}), w.Emit(bellcord.StepEnded{Finish: "stop", Usage: used})); err != nil {
			return err
		}
	}
	return w.Sync(ctx)
}

// stream emits n pieces of a thousand bytes.
func stream(ctx context.Context, w *hub.Work, n int) error {
	piece := strings.Repeat("x", 1000)
	for range n {
		if err := w.Emit(bellcord.TextDelta{Text: piece}); err != nil {
			return err
		}
	}
	return w.Sync(ctx)
}
