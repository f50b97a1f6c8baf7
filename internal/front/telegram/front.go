package telegram

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/telegram/outbox"
	"github.com/bellcord/bellcord/internal/front/telegram/rights"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// Hub is what the front needs of the core.
type Hub interface {
	sessionFinder
	sessionEditor
	prompter
	turnReader
	logReader
	Spending(ctx context.Context, q bellcord.SpendingQuery) ([]bellcord.Spending, error)
}

type (
	sessionFinder interface {
		OpenSession(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
		Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
		Sessions(ctx context.Context, q bellcord.SessionQuery) ([]bellcord.Session, error)
	}
	sessionEditor interface {
		NewSession(ctx context.Context, s bellcord.Session) (bellcord.Session, error)
		Configure(id bellcord.SessionID, change bellcord.SessionUpdated) (bellcord.Session, error)
		Clear(id bellcord.SessionID, cause bellcord.Cause) (*hub.Stopping, error)
	}
	prompter interface {
		Accept(ctx context.Context, session bellcord.SessionID, p bellcord.Prompt) (bellcord.TurnID, error)
		Stop(req bellcord.StopRequest) *hub.Stopping
		Answer(turn bellcord.TurnID, question, choice, by string) error
		Release(session bellcord.SessionID)
	}
	turnReader interface {
		Turn(ctx context.Context, id bellcord.TurnID) (bellcord.TurnRecord, error)
		UnendedTurns(ctx context.Context, session bellcord.SessionID) ([]bellcord.TurnRecord, error)
	}
	logReader interface {
		Events(ctx context.Context, id bellcord.SessionID, after int64) (*hub.Cursor, error)
		Tail(ctx context.Context, id bellcord.SessionID) (int64, error)
	}
)

// Config is what a front is made of.
type Config struct {
	Hub    Hub
	Bot    *wire.Bot
	Rights *rights.List
	Logger *slog.Logger
	Dir    string // where the book of chats is

	Session    bellcord.Session // what new ones have; its directory, where all share one
	Prompt     bellcord.Prompt  // limits of every turn
	Workspaces string           // where sessions get a directory of their own
	Models     func() []string  // to choose from
	Agents     func() []string
	CheckModel func(name string) error
	CheckAgent func(name string) error
	LetGo      func(bellcord.SessionID) // ends what a session has besides its turns, such as a hosted agent's process

	Replace      bool // a plain message during a turn stops it and is answered instead
	ExposeErrors bool // people read what went wrong in its own words
	Edits        bool // no drafts, also where Telegram has them
	OldAfter     time.Duration
	Idle         time.Duration
	Pace         outbox.Pace
}

// Front is a bot's. Run lets people in; Close says goodbye.
type Front struct {
	Config
	self wire.Self
	box  *outbox.Outbox
	book *book
	life context.Context // of all that goes on here; no turn hangs on it
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	chats   map[spot]*chat
	noticed map[notice]bool // what was said once
}

// spot is where a conversation is: a chat, or a topic in one.
type spot struct {
	Chat   int64
	Thread int
}

// notice is something that a place is told one time.
type notice struct {
	spot
	text string
}

func at(p wire.Place) spot { return spot{p.Chat, p.Thread} }

// New returns a front that nobody has written to yet.
func New(c Config) (*Front, error) {
	book, err := openBook(filepath.Join(c.Dir, "chats.json"))
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	return &Front{
		Config: c, box: outbox.New(c.Pace, c.Logger), book: book, life: life, end: end,
		chats: map[spot]*chat{}, noticed: map[notice]bool{},
	}, nil
}

// Run takes updates until ctx ends: by polling, or at the webhook's URL where one
// is given. What was shown half when the last process ended is shown to its end.
func (f *Front) Run(ctx context.Context, webhook string) error {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		self, err := f.Bot.Begin(ctx)
		if err == nil {
			f.self = self
			break
		}
		f.Logger.Warn("connecting to telegram failed; retrying", "err", err, "in", pause)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
	f.box.Aside(func(ctx context.Context) error { return f.Bot.Commands(ctx, menu) })
	f.resume()
	f.Logger.Info("telegram bot started", "bot", f.self.Username)
	tidying, done := context.WithCancel(ctx)
	var tidy sync.WaitGroup
	tidy.Go(func() { f.tidy(tidying) })
	defer func() { done(); tidy.Wait() }()
	if webhook != "" {
		return f.Bot.Serve(ctx, webhook, f.Take)
	}
	return f.Bot.Poll(ctx, f.Take)
}

// Close waits until the ends of all turns have been shown, as far as ctx allows,
// and ends. Call it when Run has returned and the hub's turns have settled.
func (f *Front) Close(ctx context.Context) error {
	f.settled(ctx)
	f.end()
	f.work.Wait()
	err := f.box.Close(ctx)
	return errors.Join(err, f.book.closeBook())
}

// settled returns when no chat shows a turn that has not ended.
func (f *Front) settled(ctx context.Context) {
	for _, c := range f.all() {
		c.until(ctx, func() bool { return !c.busyLocked() })
	}
}

// all are the chats in which something was said.
func (f *Front) all() []*chat {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*chat
	for _, c := range f.chats {
		all = append(all, c)
	}
	return all
}

// chat is the one at a place; owner is whose sessions it makes.
func (f *Front) chat(p wire.Place, owner string) *chat {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.chats[at(p)]
	if c == nil || c.owner != owner && !c.busy() { // somebody may have been given another name
		c = newChat(f, p, owner)
		f.chats[at(p)] = c
	}
	return c
}

// tidy lets go of chats in which nothing has gone on for a while; never of one
// with a live turn.
func (f *Front) tidy(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			if f.Idle > 0 {
				f.forgetIdle(now.Add(-f.Idle))
			}
		}
	}
}

func (f *Front) forgetIdle(since time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for where, c := range f.chats {
		if c.closeIfIdle(since) {
			delete(f.chats, where)
		}
	}
}

// resume follows the chats whose turns had not been shown to their end.
func (f *Front) resume() {
	for _, r := range f.book.all() {
		if len(r.Open) > 0 {
			f.chat(r.Place, r.Owner).resume(r)
		}
	}
}
