package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/secret"
)

const (
	caseLimit  = 30 * time.Second // then the turn of a scripted model is stopped
	realLimit  = 5 * time.Minute  // the same for a real model
	checkLimit = 2 * time.Minute
	mostSteps  = 40
)

// outcome is the result of one case or task.
type outcome struct {
	Solved   bool   `json:"solved"`
	Calls    int    `json:"calls"` // tool calls of a scripted model, requests of a real one
	note     string // the reason of a failure
	tokens   int64
	duration time.Duration
}

// stage is a running Bellcord with the native agent, its real tools and an
// SQLite store, and a fake model that plays the scripts.
type stage struct {
	*app.App
	dir   string
	cast  cast
	model io.Closer
}

// openStage opens a stage in dir, with the given settings for real models.
func openStage(ctx context.Context, dir string, settings config.Config) (*stage, error) {
	s := &stage{dir: dir, cast: cast{players: map[string]*running{}}}
	var url string
	var err error
	if s.model, url, err = fakemodel.New(fakemodel.WithPlayer(s.cast.move)).Listen(""); err != nil {
		return nil, err
	}
	settings.DataDir, settings.Mode, settings.StoreURL, settings.Agent = filepath.Join(dir, "data"), "full", "", ""
	providers := map[string]config.Provider{"eval": {API: config.Chat, BaseURL: url, APIKey: "none"}}
	for name, p := range settings.Provider {
		providers[name] = p
	}
	settings.Provider = providers
	s.App, err = app.Open(ctx, app.Config{Settings: settings, Version: "eval", Secrets: &secret.Set{}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, errors.Join(err, s.model.Close())
	}
	return s, nil
}

func (s *stage) closeAll() error { return errors.Join(s.Close(), s.model.Close()) }

// playCase plays a case in a new session and directory.
func (s *stage) playCase(ctx context.Context, t task, c testCase) (outcome, error) {
	t.setup += "\n" + c.setup
	p := &player{}
	defer s.cast.enter(c.name(), p, c.play)()
	o, err := s.play(ctx, t, c.name(), "eval/"+c.name(), caseLimit, func(dir string) { p.dir = dir })
	o.Calls = p.calls
	if p.gaveUp != "" {
		o.Solved, o.note = false, "gave up after: "+p.gaveUp
	}
	return o, err
}

// play sets up a task, runs its prompts with a model, and checks the result.
func (s *stage) play(ctx context.Context, t task, name, model string, limit time.Duration, begin func(dir string)) (o outcome, err error) {
	dir := filepath.Join(s.dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := s.bash(ctx, dir, t.setup); err != nil {
		return o, err
	}
	begin(dir)
	started := time.Now()
	session, err := s.Hub.NewSession(ctx, bellcord.Session{Dir: dir, Mode: "full", Model: model})
	if err != nil {
		return o, err
	}
	defer func() {
		err = errors.Join(err, s.Hub.DeleteSession(context.WithoutCancel(ctx), session.ID, bellcord.Cause{By: "eval"}))
	}()
	for i, prompt := range []string{t.prompt, t.then} {
		if prompt == "" {
			continue
		}
		after := limit
		if i == 0 && t.stop > 0 {
			after = t.stop
		}
		r, err := s.turn(ctx, session.ID, prompt, after)
		if err != nil {
			return o, err
		}
		o.tokens += r.Usage.InputTokens + r.Usage.OutputTokens
		if r.End != bellcord.EndDone && after == limit {
			o.note = strings.TrimSpace(string(r.End) + " " + r.Error)
		}
	}
	o.duration = time.Since(started)
	if o.Calls, err = s.requests(ctx, session.ID); err != nil {
		return o, err
	}
	if failed := s.bash(ctx, dir, t.check); failed != nil {
		o.note += " check: " + strings.TrimSpace(failed.Error())
	}
	o.Solved = o.note == ""
	return o, nil
}

// requests returns the number of requests to the model in a session.
func (s *stage) requests(ctx context.Context, session bellcord.SessionID) (int, error) {
	events, err := s.Store.Events(ctx, session, 0, 100_000)
	n := 0
	for _, ev := range events {
		if _, is := ev.Body.(bellcord.StepStarted); is {
			n++
		}
	}
	return n, err
}

// turn runs a prompt, and stops it after the given time.
func (s *stage) turn(ctx context.Context, session bellcord.SessionID, prompt string, after time.Duration) (bellcord.Receipt, error) {
	turn, err := s.Hub.Prompt(session, bellcord.Prompt{Text: prompt, MaxSteps: mostSteps})
	if err != nil {
		return bellcord.Receipt{}, err
	}
	limit := time.NewTimer(after)
	defer limit.Stop()
	select {
	case <-turn.Settled():
		return turn.Receipt(), nil
	case <-ctx.Done():
	case <-limit.C:
	}
	stopping := s.Hub.Stop(bellcord.StopRequest{Turn: turn.ID, Cause: bellcord.Cause{By: "eval"}})
	if _, err := stopping.Wait(context.WithoutCancel(ctx)); err != nil {
		return bellcord.Receipt{}, err
	}
	<-turn.Settled()
	return turn.Receipt(), context.Cause(ctx)
}

func (s *stage) bash(ctx context.Context, dir, command string) error {
	ctx, done := context.WithTimeout(ctx, checkLimit)
	defer done()
	return bash(ctx, dir, command)
}
