package telegram_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/chats"
	"github.com/bellcord/bellcord/internal/front/chats/rights"
	"github.com/bellcord/bellcord/internal/front/telegram"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
	"github.com/bellcord/bellcord/internal/undo"
	"github.com/bellcord/bellcord/store/sqlite"
)

const (
	anna  = int64(1001)
	ben   = int64(1002)
	eve   = int64(1003)
	group = int64(-1001)
)

// stage is a strict fake Telegram server in memory, a real hub with a real
// store, and the front between them, with a fake clock.
type stage struct {
	*testing.T
	*actor
	gram  *fakegram.Server
	hub   *hub.Hub
	store *sqlite.Store
	front *telegram.Front
	list  *rights.List
	files undo.Files
	data  string
	ended []bellcord.SessionID // sessions with an agent process that was ended

	withoutUndo bool

	with  setup
	leave func() // shuts the server down gracefully
	drop  func() // kills the server: nothing more reaches Telegram
	mu    sync.Mutex
}

// setup contains what a test can change.
type setup struct {
	telegram.Config
	rights telegram.Rights
	gram   []fakegram.Option
}

func onStage(t *testing.T, change func(*setup), play func(*stage)) {
	t.Helper()
	data := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		with := setup{rights: telegram.Rights{Users: map[string]int64{"anna": anna, "ben": ben}, Groups: map[string]int64{"ringers": group}}}
		with.Config.Config = chats.Config{OldAfter: 10 * time.Minute, Idle: 30 * time.Minute}
		if change != nil {
			change(&with)
		}
		s := &stage{T: t, actor: newActor(), data: data, gram: fakegram.New(with.gram...)}
		s.gram.AddPerson(fakegram.User{ID: anna, FirstName: "Anna", Username: "anna"})
		s.gram.AddPerson(fakegram.User{ID: ben, FirstName: "Ben", Username: "ben"})
		s.gram.AddPerson(fakegram.User{ID: eve, FirstName: "Eve", Username: "eve"})
		s.gram.AddGroup(group, "Ringers", anna, ben)
		s.open(with)
		play(s)
		s.leave()
		for _, v := range s.gram.Violations() {
			t.Errorf("a rule was broken: %s", v)
		}
	})
}

// open starts a server; leave shuts it down.
func (s *stage) open(with setup) {
	s.Helper()
	client, hangUp := s.gram.Pipe()
	logger := slog.New(slog.NewTextHandler(s.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	var err error
	s.store, err = sqlite.Open(s.Context(), s.data)
	s.must(err)
	s.hub, err = hub.Open(s.Context(), s.store, s.actor, hub.Options{Sweep: 10 * time.Second})
	s.must(err)
	s.recorder = undo.New(undo.Options{Place: s.data + "/undo", Logger: logger, Undone: func(ctx context.Context, id bellcord.SessionID, u bellcord.Undone) error {
		return s.hub.RecordUndo(ctx, id, u)
	}})
	s.files = undo.Files{Recorder: s.recorder, Store: s.store}
	with.rights.File = s.data + "/telegram/people.json"
	s.list, err = with.rights.Open()
	s.must(err)
	bot, err := wire.New(wire.Config{Token: "1:TEST", Server: "http://fake", Client: client, Dir: s.data + "/telegram", Logger: logger})
	s.must(err)
	c := with.Config
	c.Hub, c.Undo, c.Bot, c.People, c.Logger, c.Dir, c.Workspaces = s.hub, slowUndo{s.files}, bot, s.list, logger, s.data+"/telegram", s.data+"/workspaces"
	c.Models = func() []string { return []string{"fake/one", "fake/two"} }
	c.Agents = func() []string { return []string{"", "pi"} }
	c.CheckModel = func(name string) error { return among(name, c.Models()) }
	c.CheckAgent = func(name string) error { return among(name, c.Agents()) }
	c.LetGo = func(id bellcord.SessionID) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended = append(s.ended, id)
	}
	if s.withoutUndo {
		c.Undo = nil
	}
	s.with = with
	s.front, err = telegram.New(c)
	s.must(err)
	listening, end := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- s.front.Run(listening, "") }()
	end = sync.OnceFunc(end)
	finish := func(must func(error)) func() {
		return func() {
			end()
			must(<-over)
			must(s.hub.Drain(context.Background(), bellcord.Cause{Kind: bellcord.CauseShutdown, By: "signal", Source: "serve"}))
			bounded, done := context.WithTimeout(context.Background(), 5*time.Minute)
			defer done()
			must(s.front.Close(bounded))
			must(s.hub.Close(bounded))
			must(s.recorder.Close())
			must(s.store.Close())
			must(bot.Close())
			hangUp()
		}
	}
	var once sync.Once
	orderly, silent := finish(s.must), finish(func(error) {})
	s.leave = func() { once.Do(orderly) }
	s.drop = func() { hangUp(); once.Do(silent) }
	synctest.Wait()
}

func among(name string, names []string) error {
	if slices.Contains(names, name) {
		return nil
	}
	return bellcord.ErrUnknown
}

func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *stage) sendText(user int64, text string) {
	s.Helper()
	s.sendTextIn(user, user, text)
}

func (s *stage) sendTextIn(chat, user int64, text string) {
	s.Helper()
	if _, err := s.gram.Say(chat, user, text); err != nil {
		s.Fatal(err)
	}
	synctest.Wait()
}

// pass waits for d, then until all goroutines are blocked.
func (s *stage) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// bot returns the bot's messages in a chat that were not deleted.
func (s *stage) bot(chat int64) (texts []string) {
	for _, m := range s.gram.Chat(chat).Messages {
		if m.From.ID == 1 {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// sees asserts the bot's messages in a chat.
func (s *stage) sees(chat int64, want ...string) {
	s.Helper()
	if got := s.bot(chat); !slices.Equal(got, want) {
		s.Errorf("the chat shows\n%q\nand should show\n%q", got, want)
	}
}

// draft returns the text of the live draft, or "".
func (s *stage) draft(chat int64) string {
	drafts := s.gram.Chat(chat).Drafts
	if len(drafts) == 0 {
		return ""
	}
	return drafts[0].Text
}

// last returns the bot's last message in a chat.
func (s *stage) last(chat int64) (last fakegram.Message) {
	s.Helper()
	for _, m := range s.gram.Chat(chat).Messages {
		if m.From.ID == 1 {
			last = m
		}
	}
	if last.ID == 0 {
		s.Fatal("the bot has said nothing")
	}
	return last
}

// press presses the newest button with these words on it and returns the reply
// to the press.
func (s *stage) press(chat, user int64, words string) string {
	s.Helper()
	messages := s.gram.Chat(chat).Messages
	for _, m := range slices.Backward(messages) {
		if m.Markup == nil {
			continue
		}
		for _, row := range m.Markup.Rows {
			for _, b := range row {
				if strings.Contains(b.Text, words) {
					b.Chat, b.Message = chat, m.ID
					id, err := s.gram.Press(user, b)
					s.must(err)
					synctest.Wait()
					text, _, ok := s.gram.Answered(id)
					if !ok {
						s.Errorf("the press on %q was not answered", b.Text)
					}
					return text
				}
			}
		}
	}
	s.Fatalf("no button says %q", words)
	return ""
}

// picture returns a small PNG image.
func picture() []byte {
	var out bytes.Buffer
	_ = png.Encode(&out, image.NewGray(image.Rect(0, 0, 20, 20)))
	return out.Bytes()
}
