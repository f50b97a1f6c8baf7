package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/anthropic"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/gemini"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/internal/llm/responses"
	"github.com/bellcord/bellcord/store/sqlite"
)

// formats measures, for each wire format, how soon after a stop the model's connection is closed:
// before the first byte of the answer, and in the middle of its text.
func formats(out io.Writer, n int) (err error) {
	ctx, done := context.WithTimeout(context.Background(), 10*time.Minute)
	defer done()
	b := &stopBench{model: fakemodel.New()}
	if b.dir, err = os.MkdirTemp("", "bellcord-bench"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if b.serving, b.url, err = b.model.Listen(""); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.serving.Close()) }()
	if b.store, err = sqlite.Open(ctx, b.dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.store.Close()) }()
	root := strings.TrimSuffix(b.url, "/v1")
	providers := map[string]llm.Provider{
		"chat":      openai.New(openai.Config{BaseURL: b.url, Key: "x"}),
		"responses": responses.New(responses.Config{BaseURL: b.url, Key: "x"}),
		"anthropic": anthropic.New(anthropic.Config{BaseURL: root, Key: "x"}),
		"gemini":    gemini.New(gemini.Config{BaseURL: root, Key: "x"}),
	}
	agent := &react.Agent{Model: func(name string) (react.Model, error) {
		of, model, _ := strings.Cut(name, "/")
		return react.Model{Model: providers[of], Name: model}, nil
	}}
	if b.hub, err = hub.Open(ctx, b.store, agent, hub.Options{}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.hub.Close(context.Background())) }()
	fmt.Fprintf(out, "stop to socket closed at the model, %d times each\n", n)
	for _, format := range []string{"chat", "responses", "anthropic", "gemini"} {
		for _, place := range []struct{ name, prompt string }{{"before the first byte", "[hang]"}, {"in text", "[slow 2000 5ms]"}} {
			var closed []time.Duration
			for i := range n {
				took, err := b.closedAfter(ctx, format, fmt.Sprintf("%s %s %d.", place.prompt, format, i))
				if err != nil {
					return err
				}
				closed = append(closed, took)
			}
			row(out, format+", "+place.name, closed)
		}
	}
	return nil
}

// closedAfter stops a turn once its request is being answered, or hangs.
func (b *stopBench) closedAfter(ctx context.Context, format, prompt string) (time.Duration, error) {
	s, err := b.hub.NewSession(ctx, bellcord.Session{Dir: b.dir, Model: format + "/fake"})
	if err != nil {
		return 0, err
	}
	turn, err := b.hub.Prompt(s.ID, bellcord.Prompt{Text: prompt})
	if err != nil {
		return 0, err
	}
	hangs := strings.HasPrefix(prompt, "[hang]")
	err = b.model.Wait(ctx, func(all []fakemodel.Request) bool {
		last := len(all) - 1
		return last >= 0 && all[last].Prompt == prompt && (hangs || all[last].Sent != "")
	})
	if err != nil {
		return 0, err
	}
	requested := time.Now()
	answers, err := b.hub.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "bench"})).Wait(ctx)
	if err != nil || answers[0].Receipt.End != bellcord.EndStopped {
		return 0, fmt.Errorf("stop answered %+v, %w", answers, err)
	}
	aborted, err := b.aborted(ctx, prompt)
	return aborted.Sub(requested), err
}
