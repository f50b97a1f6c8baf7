package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/telegram"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
	"github.com/bellcord/bellcord/store/sqlite"
)

// telegramBench is a strict fake Telegram, the front, a hub on a real disk, and an agent that emits
// text until it is stopped.
type telegramBench struct {
	dir    string
	gram   *fakegram.Server
	hangUp func()
	store  *sqlite.Store
	agent  *reciter
	hub    *hub.Hub
	bot    *wire.Bot
	front  *telegram.Front
	leave  context.CancelFunc
	over   chan error

	people []int64
	bare   []bellcord.TurnID
}

func openTelegramBench(ctx context.Context, people int) (*telegramBench, error) {
	b := &telegramBench{gram: fakegram.New(), agent: newReciter(), over: make(chan error, 1)}
	users := map[string]int64{}
	for n := range people {
		id, name := int64(1001+n), fmt.Sprintf("ringer%d", n)
		b.people, users[name] = append(b.people, id), id
		b.gram.AddPerson(fakegram.User{ID: id, FirstName: name})
	}
	var err error
	if b.dir, err = os.MkdirTemp("", "bellcord-bench"); err != nil {
		return nil, err
	}
	if b.store, err = sqlite.Open(ctx, b.dir); err != nil {
		return nil, err
	}
	if b.hub, err = hub.Open(ctx, b.store, b.agent, hub.Options{}); err != nil {
		return nil, err
	}
	list, err := telegram.Rights{Users: users, File: b.dir + "/people.json"}.Open()
	if err != nil {
		return nil, err
	}
	client, hangUp := b.gram.Pipe()
	b.hangUp = hangUp
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if b.bot, err = wire.New(wire.Config{Token: "1:TEST", Server: "http://fake", Client: client, Dir: b.dir, Logger: logger}); err != nil {
		return nil, err
	}
	b.front, err = telegram.New(telegram.Config{Bot: b.bot, People: list, Config: chats.Config{
		Hub: b.hub, Logger: logger, Dir: b.dir, Workspaces: b.dir,
		LetGo: func(bellcord.SessionID) {},
	}})
	if err != nil {
		return nil, err
	}
	listening, leave := context.WithCancel(ctx)
	b.leave = leave
	go func() { b.over <- b.front.Run(listening, "") }()
	return b, nil
}

func (b *telegramBench) closeBench() error {
	b.leave()
	err := <-b.over
	bounded, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	err = errors.Join(err, b.hub.Drain(bounded, bellcord.Cause{Kind: bellcord.CauseShutdown}), b.front.Close(bounded), b.bot.Close(), b.hub.Close(bounded), b.store.Close())
	b.hangUp()
	return errors.Join(err, os.RemoveAll(b.dir))
}

// reciter emits two words per second until it is stopped, and records when that was.
type reciter struct {
	mu       sync.Mutex
	running  map[string]bool      // by prompt
	canceled map[string]time.Time // when its context ended
	changed  chan struct{}        // closed and replaced at every change
}

func newReciter() *reciter {
	return &reciter{running: map[string]bool{}, canceled: map[string]time.Time{}, changed: make(chan struct{})}
}

// Run implements hub.Agent.
func (a *reciter) Run(ctx context.Context, w *hub.Work) error {
	a.note(func() { a.running[w.Prompt.Text] = true })
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for n := 1; ; n++ {
		if err := w.Emit(bellcord.TextDelta{Text: fmt.Sprintf("Word %d of many. ", n)}); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			now := time.Now()
			a.note(func() { a.canceled[w.Prompt.Text] = now })
			return context.Cause(ctx)
		}
	}
}

func (a *reciter) note(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
	close(a.changed)
	a.changed = make(chan struct{})
}

// until waits until holds returns true. It calls holds with the lock held.
func (a *reciter) until(ctx context.Context, holds func(*reciter) bool) error {
	for {
		a.mu.Lock()
		is, changed := holds(a), a.changed
		a.mu.Unlock()
		if is {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (a *reciter) canceledAt(ctx context.Context, prompt string) (at time.Time, err error) {
	err = a.until(ctx, func(a *reciter) bool { at = a.canceled[prompt]; return !at.IsZero() })
	return at, err
}
