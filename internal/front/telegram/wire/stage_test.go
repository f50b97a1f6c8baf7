package wire_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/internal/front/telegram/wire"
	"github.com/bellcord/bellcord/internal/testkit/fakegram"
)

const (
	anna  = int64(1001)
	ben   = int64(1002)
	group = int64(-1001)
)

// stage is the strict fake server in a synctest bubble, with two users, a group
// and a directory for a bot.
type stage struct {
	*testing.T
	*fakegram.Server
	client *http.Client
	dir    string
	log    *notes
}

func onStage(t *testing.T, play func(*stage), opts ...fakegram.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{T: t, Server: fakegram.New(opts...), dir: t.TempDir(), log: &notes{}}
		var stop func()
		s.client, stop = s.Pipe()
		defer stop()
		s.AddPerson(fakegram.User{ID: anna, FirstName: "Anna", LastName: "Bell", Username: "anna"})
		s.AddPerson(fakegram.User{ID: ben, FirstName: "Ben"})
		s.AddGroup(group, "Ringers", anna, ben)
		play(s)
		for _, v := range s.Violations() {
			t.Error("violation: " + v)
		}
	})
}

// notes is a log that can be read while it is written.
type notes struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.Write(p)
}

func (n *notes) count(words string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Count(n.text.String(), words)
}

// bot returns the bot of a new process that uses dir.
func (s *stage) bot() *wire.Bot {
	s.Helper()
	b, err := wire.New(wire.Config{
		Token: "1:TEST", Server: "http://fake", Client: s.client, Dir: s.dir, Secret: "open_sesame",
		Logger: slog.New(slog.NewTextHandler(s.log, nil)),
	})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = b.Close() })
	return b
}

// ear collects the updates that a bot delivered.
type ear struct {
	mu   sync.Mutex
	all  []wire.Update
	hang func() // ends the listening and waits for its end
}

func (e *ear) receive(u wire.Update) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, u)
}

func (e *ear) updates() []wire.Update {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.all)
}

func (e *ear) texts() (texts []string) {
	for _, u := range e.updates() {
		if u.Message != nil {
			texts = append(texts, u.Message.Text)
		}
	}
	return texts
}

func (s *stage) poll(b *wire.Bot) *ear { return s.listen(b.Poll) }

func (s *stage) listen(listen func(context.Context, func(wire.Update)) error) *ear {
	e := &ear{}
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() { ended <- listen(ctx, e.receive) }()
	e.hang = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			s.Errorf("listening ended with %v", err)
		}
	})
	return e
}

func (s *stage) sendTexts(user int64, texts ...string) {
	s.Helper()
	for _, text := range texts {
		if _, err := s.Say(user, user, text); err != nil {
			s.Fatal(err)
		}
	}
}

func (s *stage) expectReceived(e *ear, want ...string) {
	s.Helper()
	synctest.Wait()
	if got := e.texts(); !slices.Equal(got, want) {
		s.Errorf("heard %q, not %q", got, want)
	}
}

func (s *stage) handled(b *wire.Bot, updates ...wire.Update) {
	s.Helper()
	for _, u := range updates {
		if err := b.Handled(u.ID); err != nil {
			s.Error(err)
		}
	}
}

// rest waits for d, then until all goroutines are blocked.
func rest(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// journal returns the path of the update journal.
func (s *stage) journal() string { return filepath.Join(s.dir, "updates-1.jsonl") }

func (s *stage) onDisk() string {
	s.Helper()
	text, err := os.ReadFile(s.journal())
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

// killed simulates a process that is killed now: the next bot starts with the
// same journal content. It uses another directory, because the old process
// still exists in the test.
func (s *stage) killed() { s.killedWith(s.onDisk()) }

func (s *stage) killedWith(text string) {
	s.Helper()
	s.dir = s.TempDir()
	if err := os.WriteFile(s.journal(), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}
