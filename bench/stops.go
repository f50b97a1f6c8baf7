package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/llm/openai"
	"github.com/bellcord/bellcord/store/sqlite"
)

// stops measures, on real sockets and a real disk, how long a stop of a streaming turn takes until
// the model's connection is closed and until the end is durable, while other turns stream. The
// model runs in the same process, so both ends use one clock.
func stops(out io.Writer, n, others int) (err error) {
	ctx, done := context.WithTimeout(context.Background(), 10*time.Minute)
	defer done()
	b, err := openBench(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.closeBench()) }()
	fmt.Fprintf(out, "stop of a streaming turn, %d times, with %d other turns streaming 20 words per second each\n", n, others)
	for range others {
		if _, err := b.streaming(ctx, "[slow 12000 50ms] other"); err != nil {
			return err
		}
	}
	var closed, settled, bare, disk []time.Duration
	for i := range n {
		c, s, err := b.stopOne(ctx, i)
		if err != nil {
			return err
		}
		closed, settled = append(closed, c), append(settled, s)
		if i%10 == 0 {
			d, err := b.bareCancel(ctx, i)
			if err != nil {
				return err
			}
			bare = append(bare, d)
			if d, err = b.bareSync(); err != nil {
				return err
			}
			disk = append(disk, d)
		}
	}
	row(out, "request to socket closed at the model", closed)
	row(out, "request to settled (durable, receipt ready)", settled)
	row(out, "bare: cancel of a plain HTTP request", bare)
	row(out, "bare: append 200 bytes and fsync", disk)
	return nil
}

type stopBench struct {
	dir      string
	file     *os.File
	model    *fakemodel.Server
	serving  io.Closer
	url      string
	store    *sqlite.Store
	provider *openai.Provider
	hub      *hub.Hub
}

func openBench(ctx context.Context) (*stopBench, error) {
	b := &stopBench{model: fakemodel.New()}
	var err error
	if b.dir, err = os.MkdirTemp("", "bellcord-bench"); err != nil {
		return nil, err
	}
	if b.file, err = os.Create(b.dir + "/bare"); err != nil {
		return nil, err
	}
	if b.serving, b.url, err = b.model.Listen(""); err != nil {
		return nil, err
	}
	if b.store, err = sqlite.Open(ctx, b.dir); err != nil {
		return nil, err
	}
	b.provider = openai.New(openai.Config{BaseURL: b.url, Key: "x"})
	agent := &react.Agent{Model: func(string) (react.Model, error) { return react.Model{Model: b.provider, Name: "fake"}, nil }}
	b.hub, err = hub.Open(ctx, b.store, agent, hub.Options{})
	return b, err
}

func (b *stopBench) closeBench() error {
	err := b.hub.Close(context.Background())
	b.provider.Close()
	return errors.Join(err, b.store.Close(), b.serving.Close(), b.file.Close(), os.RemoveAll(b.dir))
}

// streaming starts a turn in a new session and returns once it streams.
func (b *stopBench) streaming(ctx context.Context, prompt string) (*hub.Turn, error) {
	s, err := b.hub.NewSession(ctx, bellcord.Session{Dir: b.dir, Model: "openai/fake"})
	if err != nil {
		return nil, err
	}
	turn, err := b.hub.Prompt(s.ID, bellcord.Prompt{Text: prompt})
	if err != nil {
		return nil, err
	}
	cursor, err := b.hub.Events(ctx, s.ID, 0)
	if err != nil {
		return nil, err
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			return nil, err
		}
		for _, ev := range events {
			if _, isText := ev.Body.(bellcord.TextDelta); isText {
				return turn, nil
			}
		}
	}
}

func (b *stopBench) stopOne(ctx context.Context, i int) (closed, settled time.Duration, err error) {
	prompt := fmt.Sprintf("[slow 2000 5ms] stop %d.", i)
	turn, err := b.streaming(ctx, prompt)
	if err != nil {
		return 0, 0, err
	}
	requested := time.Now()
	answers, err := b.hub.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "bench"})).Wait(ctx)
	settled = time.Since(requested)
	if err != nil || answers[0].State != bellcord.StopStateSettled || answers[0].Receipt.End != bellcord.EndStopped {
		return 0, 0, fmt.Errorf("stop answered %+v, %w", answers, err)
	}
	aborted, err := b.aborted(ctx, prompt)
	return aborted.Sub(requested), settled, err
}

// aborted returns when the model's end of a prompt's connection was closed.
func (b *stopBench) aborted(ctx context.Context, prompt string) (at time.Time, err error) {
	err = b.model.Wait(ctx, func(all []fakemodel.Request) bool {
		for i := len(all) - 1; i >= 0; i-- {
			if all[i].Prompt == prompt {
				at = all[i].Aborted
				return !at.IsZero()
			}
		}
		return false
	})
	return at, err
}

// bareCancel measures the same without Bellcord: net/http and a context.
func (b *stopBench) bareCancel(ctx context.Context, i int) (time.Duration, error) {
	prompt := fmt.Sprintf("[slow 2000 5ms] bare %d.", i)
	body := fmt.Sprintf(`{"model":"fake","stream":true,"messages":[{"role":"user","content":%q}]}`, prompt)
	ctx2, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx2, http.MethodPost, b.url+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer x")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := resp.Body.Read(make([]byte, 256)); err != nil {
		return 0, err
	}
	requested := time.Now()
	cancel()
	aborted, err := b.aborted(ctx, prompt)
	return aborted.Sub(requested), err
}

func (b *stopBench) bareSync() (time.Duration, error) {
	began := time.Now()
	if _, err := b.file.Write(make([]byte, 200)); err != nil {
		return 0, err
	}
	err := b.file.Sync()
	return time.Since(began), err
}
