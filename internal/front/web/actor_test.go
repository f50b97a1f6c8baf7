package web_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// actor is an agent that does what the prompt's first word says.
type actor struct {
	gate chan struct{} // lets go of what waits, and of what lingers
	open sync.Once

	mu      sync.Mutex
	prompts map[bellcord.TurnID]bellcord.Prompt // that it was given
}

func newActor() *actor {
	return &actor{gate: make(chan struct{}), prompts: map[bellcord.TurnID]bellcord.Prompt{}}
}

// release lets all of them go on.
func (a *actor) release() { a.open.Do(func() { close(a.gate) }) }

// given is the prompt that it has for a turn.
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
		err := say(ctx, w, rest)
		<-ctx.Done()
		return err
	case "wait": // until it is let go of, or stopped
		err := say(ctx, w, rest)
		select {
		case <-a.gate:
		case <-ctx.Done():
		}
		return err
	case "linger": // when it is stopped, until it is let go of
		err := say(ctx, w, rest)
		<-ctx.Done()
		<-a.gate
		return err
	case "ask":
		choice, err := w.Ask(ctx, bellcord.Question{Text: rest, Choices: []bellcord.Choice{
			{ID: "yes", Text: "Yes", Kind: "allow_once"}, {ID: "no", Text: "No", Kind: "reject_once"},
		}})
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: choice}))
	case "spend":
		return spend(ctx, w, 1)
	case "steps":
		n, _ := strconv.Atoi(rest)
		return spend(ctx, w, n)
	case "stream":
		n, _ := strconv.Atoi(rest)
		return stream(ctx, w, n)
	}
	return say(ctx, w, rest)
}

func say(ctx context.Context, w *hub.Work, text string) error {
	return errors.Join(w.Emit(bellcord.TextDelta{Text: text}), w.Sync(ctx))
}

// spend asks a model n times; each costs 10 and 5 tokens.
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

// stream says n pieces of a thousand bytes.
func stream(ctx context.Context, w *hub.Work, n int) error {
	piece := strings.Repeat("x", 1000)
	for range n {
		if err := w.Emit(bellcord.TextDelta{Text: piece}); err != nil {
			return err
		}
	}
	return w.Sync(ctx)
}
