package chats

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/chats/outbox"
	"github.com/bellcord/bellcord/store"
)

// Hub is the part of the core that the front uses.
type Hub interface {
	sessionFinder
	sessionEditor
	prompter
	turnReader
	rewinder
	logReader
	Spending(ctx context.Context, q store.SpendingQuery) ([]store.Spending, error)
}

type (
	sessionFinder interface {
		OpenSession(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
		Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error)
		Sessions(ctx context.Context, q store.SessionQuery) ([]bellcord.Session, error)
	}
	sessionEditor interface {
		NewSession(ctx context.Context, s bellcord.Session) (bellcord.Session, error)
		Configure(id bellcord.SessionID, change bellcord.SessionUpdated) (bellcord.Session, error)
		Clear(id bellcord.SessionID, cause bellcord.Cause) (*hub.Stopping, error)
	}
	prompter interface {
		Accept(ctx context.Context, session bellcord.SessionID, p bellcord.Prompt) (bellcord.TurnID, error)
		Stop(req bellcord.StopRequest) *hub.Stopping
		Answer(turn bellcord.TurnID, question string, r bellcord.Reply, by string) error
		Edit(turn bellcord.TurnID, text string) error
		Release(session bellcord.SessionID, turns ...bellcord.TurnID)
	}
	turnReader interface {
		Turn(ctx context.Context, id bellcord.TurnID) (store.TurnRecord, error)
		UnendedTurns(ctx context.Context, session bellcord.SessionID) ([]store.TurnRecord, error)
	}
	rewinder interface {
		Rewind(ctx context.Context, session bellcord.SessionID, turn bellcord.TurnID) (bellcord.ConversationRewound, error)
	}
	logReader interface {
		Events(ctx context.Context, id bellcord.SessionID, after int64) (*hub.Cursor, error)
		Tail(ctx context.Context, id bellcord.SessionID) (int64, error)
	}
)

// Config configures a Front.
type Config struct {
	Hub    Hub
	Undo   Undo // nil: changes cannot be undone
	Logger *slog.Logger
	Dir    string // directory of the stored chats

	// The adapter sets these fields.
	Platform string // name of the platform, as the source of stops; in lower case, name of its settings and command
	Messages Messages
	Files    Files
	Drafts   Drafts // nil: unfinished answers are messages that are edited
	Rights   Rights
	Limits   Limits
	Pace     outbox.Pace

	Session    bellcord.Session // template for new sessions; if its directory is set, all sessions share it
	Prompt     bellcord.Prompt  // template with the limits of every turn
	Workspaces string           // parent of the sessions' directories, if they share none
	Models     func() []string  // models to choose from
	Agents     func() []string
	CheckModel func(name string) error
	CheckAgent func(name string) error
	LetGo      func(bellcord.SessionID) // releases what a session has apart from its turns, such as a hosted agent's process

	Replace      bool // a new message stops the running turn and is answered instead
	ExposeErrors bool // users see the original error messages
	Silent       bool // show no unfinished answers, neither as drafts nor by edits
	OldAfter     time.Duration
	Idle         time.Duration
}

// Front runs a bot's chats. Events are passed to its methods while Run runs; Close
// shows the ends of all turns and shuts the front down.
type Front struct {
	Config
	box  *outbox.Outbox
	book *book
	life context.Context // ends with the front; turns do not depend on it
	end  context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	chats   map[spot]*chat
	noticed map[notice]bool // notices that were sent
}

// spot identifies a conversation: a chat, or a topic in one.
type spot struct {
	Chat, Thread ID
}

// notice is a text that is sent to a place only once.
type notice struct {
	spot
	text string
}

func at(p Place) spot { return spot{p.Chat, p.Thread} }

// New returns a front. It fails if the stored chats cannot be read.
func New(c Config) (*Front, error) {
	book, err := openBook(filepath.Join(c.Dir, "chats.json"))
	if err != nil {
		return nil, err
	}
	if c.Undo == nil {
		c.Undo = noUndo{}
	}
	life, end := context.WithCancel(context.Background())
	return &Front{
		Config: c, box: outbox.New(c.Pace, c.Logger), book: book, life: life, end: end,
		chats: map[spot]*chat{}, noticed: map[notice]bool{},
	}, nil
}

// Run calls receive, which passes events to the front until ctx ends, and returns
// its error. Turns that the previous process has not shown completely are resumed
// first. Idle chats are removed in the background.
func (f *Front) Run(ctx context.Context, receive func(ctx context.Context) error) error {
	f.resume()
	tidying, done := context.WithCancel(ctx)
	var tidy sync.WaitGroup
	tidy.Go(func() { f.tidy(tidying) })
	defer func() { done(); tidy.Wait() }()
	return receive(ctx)
}

// Aside makes a call of the adapter that belongs to no chat, in the background.
func (f *Front) Aside(do func(ctx context.Context) error) { f.box.Aside(do) }

// Close waits until the ends of all turns have been sent, as far as ctx allows,
// and shuts the front down. Call it after Run has returned and the hub's turns
// have settled.
func (f *Front) Close(ctx context.Context) error {
	f.settled(ctx)
	f.end()
	f.work.Wait()
	err := f.box.Close(ctx)
	return errors.Join(err, f.book.closeBook())
}

// settled returns when no chat is busy, or when ctx ends.
func (f *Front) settled(ctx context.Context) {
	for _, c := range f.all() {
		c.until(ctx, func() bool { return !c.busyLocked() })
	}
}

// all returns the active chats.
func (f *Front) all() []*chat {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*chat
	for _, c := range f.chats {
		all = append(all, c)
	}
	return all
}

// chat returns the chat at a place and creates it if needed. owner is the owner
// of its sessions. A chat with another owner is replaced, unless it is busy.
func (f *Front) chat(p Place, owner string) *chat {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.chats[at(p)]
	if c == nil || c.owner != owner && !c.busy() { // the person may have been renamed in the settings
		c = newChat(f, p, owner)
		f.chats[at(p)] = c
	}
	return c
}

// tidy removes idle chats once a minute. It never removes a chat with an active
// turn.
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

// resume follows the chats with turns that were not shown completely.
func (f *Front) resume() {
	for _, r := range f.book.all() {
		for _, open := range r.Open {
			f.chat(r.Place, r.Owner).read(open.Session, open.After, open.Turns)
		}
	}
}
