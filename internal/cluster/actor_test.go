package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// quietly discards log lines that a test expects.
var quietly = slog.New(slog.DiscardHandler)

// journal records a node's log.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

// lines returns the lines that contain with.
func (j *journal) lines(with string) (found []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for line := range strings.Lines(j.text.String()) {
		if strings.Contains(line, with) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// actor is an agent that executes the first word of the prompt.
type actor struct {
	gate chan struct{} // lets waiting turns continue
	open sync.Once

	mu     sync.Mutex
	texts  map[bellcord.TurnID]string // of the prompts that it has run
	causes map[bellcord.TurnID]error  // why their contexts ended
	forced map[bellcord.TurnID]bool
}

func newActor() *actor {
	return &actor{
		gate:  make(chan struct{}),
		texts: map[bellcord.TurnID]string{}, causes: map[bellcord.TurnID]error{}, forced: map[bellcord.TurnID]bool{},
	}
}

// release lets all waiting turns continue.
func (a *actor) release() { a.open.Do(func() { close(a.gate) }) }

// ran returns the prompt of a turn and whether the turn was run.
func (a *actor) ran(id bellcord.TurnID) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text, ran := a.texts[id]
	return text, ran
}

func (a *actor) causeOf(id bellcord.TurnID) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.causes[id]
}

func (a *actor) wasForced(id bellcord.TurnID) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.forced[id]
}

func (a *actor) Run(ctx context.Context, w *hub.Work) error {
	a.mu.Lock()
	a.texts[w.Turn] = w.Prompt.Text
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.causes[w.Turn] = context.Cause(ctx)
	}()
	verb, rest, _ := strings.Cut(w.Prompt.Text, " ")
	n, _ := strconv.Atoi(rest)
	switch verb {
	case "hang": // until it is stopped
		<-ctx.Done()
		return nil
	case "wait": // until it is released or stopped
		return a.wait(ctx)
	case "linger": // after a stop, until it is forced
		<-ctx.Done()
		<-bellcord.Forced(ctx)
		a.mu.Lock()
		a.forced[w.Turn] = true
		a.mu.Unlock()
		return nil
	case "ask":
		var scope bellcord.Scope
		if strings.HasPrefix(rest, "an admin") {
			scope = bellcord.ScopeAdmin
		}
		choice, err := w.Ask(ctx, bellcord.Question{ID: "q", Text: rest, Requires: scope, Choices: []bellcord.Choice{{ID: "yes", Kind: "allow_once"}, {ID: "no", Kind: "reject_once"}}})
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: choice}))
	case "form":
		reply, err := w.AskForm(ctx, bellcord.Question{ID: "q", Text: rest, Fields: []bellcord.Field{{Name: "count", Type: bellcord.FieldInteger, Required: true}}})
		return errors.Join(err, w.Emit(bellcord.TextDelta{Text: string(reply.Values["count"])}))
	case "steps": // two; the second after a release
		first := w.Step(ctx, bellcord.StepStarted{Model: "fake"})
		waited := a.wait(ctx)
		return errors.Join(first, waited, w.Step(ctx, bellcord.StepStarted{Model: "fake"}))
	case "stream": // after a release, n events that cannot be merged
		return errors.Join(a.wait(ctx), stream(ctx, w, n, 10))
	case "large": // after a release, one event of twice that size as JSON, between small ones, in one commit
		err := a.wait(ctx)
		for _, size := range []int{1, 1, n, 1, 1} {
			err = errors.Join(err, w.Emit(bellcord.TextDelta{Text: strings.Repeat(`"`, size)}), w.Emit(bellcord.ThinkingDelta{Text: "y"}))
		}
		a.mu.Lock()
		a.texts[w.Turn] = "emitted"
		a.mu.Unlock()
		return errors.Join(err, w.Sync(ctx))
	case "flood": // after a release, n large events
		return errors.Join(a.wait(ctx), stream(ctx, w, n, 200_000))
	}
	return w.Emit(bellcord.TextDelta{Text: rest})
}

func (a *actor) wait(ctx context.Context) error {
	select {
	case <-a.gate:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func stream(ctx context.Context, w *hub.Work, n, size int) error {
	text := strings.Repeat("x", size)
	for range n {
		if err := errors.Join(w.Emit(bellcord.TextDelta{Text: text}), w.Emit(bellcord.ThinkingDelta{Text: "y"})); err != nil {
			return err
		}
		if err := w.Sync(ctx); err != nil {
			return err
		}
	}
	return nil
}
