package chats_test

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/bellcord/bellcord/store/sqlite"
)

// memory is an adapter for a platform in memory: a list of messages. It has no
// drafts, and IDs that are no numbers: those of people are as in Matrix, and those
// of chats as in Slack.
type memory struct {
	mu       sync.Mutex
	messages []message
	sent     int
	sending  func(chats.Text) // called while a message is sent or edited, if it is set
}

type message struct {
	id chats.ID
	chats.Text
}

func (m *memory) Send(_ context.Context, t chats.Text) (chats.ID, error) {
	if m.sending != nil {
		m.sending(t)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent++
	id := chats.ID(fmt.Sprintf("$message-%d", m.sent))
	m.messages = append(m.messages, message{id, t})
	return id, nil
}

func (m *memory) Edit(_ context.Context, id chats.ID, t chats.Text) error {
	if m.sending != nil {
		m.sending(t)
	}
	return m.change(id, func(old *message) { old.Text = t })
}

func (m *memory) RemoveButtons(_ context.Context, _ chats.Place, id chats.ID) error {
	return m.change(id, func(old *message) { old.Buttons = nil })
}

func (m *memory) change(id chats.ID, change func(*message)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.messages {
		if m.messages[i].id == id {
			change(&m.messages[i])
			return nil
		}
	}
	return errors.New("no such message")
}

func (m *memory) Delete(_ context.Context, _ chats.Place, ids []chats.ID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.messages = slices.DeleteFunc(m.messages, func(old message) bool { return slices.Contains(ids, old.id) })
	return nil
}

func (m *memory) Upload(context.Context, chats.Place, string, []byte) error { return nil }

func (m *memory) Download(context.Context, chats.ID, int64) ([]byte, error) { return nil, nil }

// platform is a front with the adapter, a real hub and a fake clock.
type platform struct {
	*testing.T
	*memory
	list    *rights.List
	dir     string
	front   *chats.Front
	turns   int
	handled int
	mu      sync.Mutex
}

// act is an agent: "slow" writes a word every 100 ms, "cut" reaches the output limit, "change" reports a change of
// a file, "ask" asks a question, and any other prompt is written back.
func act(ctx context.Context, w *hub.Work) error {
	switch w.Prompt.Text {
	case "slow":
		for n := range 100 {
			if err := w.Emit(bellcord.TextDelta{Text: fmt.Sprintf("word%d ", n)}); err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(100 * time.Millisecond):
			}
		}
		return nil
	case "cut":
		return errors.Join(w.Emit(bellcord.TextDelta{Text: "half an"}), w.Emit(bellcord.StepEnded{Finish: bellcord.FinishMaxOutput}))
	case "change": // the changes are known after a minute
		w.Report().FollowChanges(func(context.Context) (bellcord.Changes, error) {
			<-time.After(time.Minute)
			return bellcord.Changes{Changed: 1, Files: []bellcord.FileChange{{Path: "a", Kind: bellcord.FileChanged, Certainty: bellcord.ChangeOwn}}}, nil
		})
	case "ask":
		choice, err := w.Ask(ctx, bellcord.Question{ID: "q", Text: "Really?", Choices: []bellcord.Choice{{ID: "allow", Text: "Yes"}, {ID: "reject", Text: "No"}}})
		if err != nil {
			return err
		}
		return w.Emit(bellcord.TextDelta{Text: "chosen: " + choice})
	}
	return w.Emit(bellcord.TextDelta{Text: "echo " + w.Prompt.Text})
}

type agent func(ctx context.Context, w *hub.Work) error

func (a agent) Run(ctx context.Context, w *hub.Work) error { return a(ctx, w) }

func onPlatform(t *testing.T, play func(p *platform)) {
	t.Helper()
	dir := t.TempDir()
	access := rights.Config{
		Platform: "Memory", People: map[chats.ID]string{anna.ID: "anna"}, Groups: map[chats.ID]string{group.Chat: "ringers"},
		Pairing: true, File: dir + "/memory/people.json",
	}
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		h, err := hub.Open(t.Context(), store, agent(act), hub.Options{Sweep: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		p := &platform{T: t, memory: &memory{}, dir: dir}
		if p.list, err = rights.Open(access); err != nil {
			t.Fatal(err)
		}
		p.front, err = chats.New(chats.Config{
			Hub: h, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)), Dir: dir + "/memory", Workspaces: dir + "/workspaces",
			Platform: "Memory", Messages: p, Files: p, Rights: p.list,
			Limits: chats.Limits{Text: 2000, Buttons: 25, ButtonData: 100, Upload: 1 << 20, Download: 1 << 20},
			LetGo:  func(bellcord.SessionID) {},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		over := make(chan error)
		go func() { over <- p.front.Run(ctx, func(ctx context.Context) error { <-ctx.Done(); return nil }) }()
		play(p)
		end()
		last := context.Background()
		if err := errors.Join(<-over, h.Drain(last, bellcord.Cause{Kind: bellcord.CauseShutdown}), p.front.Close(last), h.Close(last), store.Close()); err != nil {
			t.Error(err)
		}
		if p.handled != p.turns {
			t.Errorf("%d of %d events were handled", p.handled, p.turns)
		}
	})
}

// event returns a new turn ID and the function that marks its event as handled.
func (p *platform) event() (bellcord.TurnID, func()) {
	p.turns++
	return bellcord.TurnID(bellcord.NamedID(fmt.Sprint("memory ", p.turns))), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.handled++
	}
}

var (
	private  = chats.Place{Chat: "D024BE91L"}
	group    = chats.Place{Chat: "C024BE91L", Group: true, Title: "Ringers"}
	unlisted = chats.Place{Chat: "C0G9QF9GZ", Thread: "1355517523.000005", Group: true}
	anna     = chats.Person{ID: "@anna:example.org", Name: "Anna"}
	eve      = chats.Person{ID: "@eve:example.org", Name: "Eve"}
)

// writes sends a private message and waits for d.
func (p *platform) writes(from chats.Person, text string, d time.Duration) {
	p.writesIn(private, from, text, d)
}

// writesIn sends a message for the bot at a place and waits for d.
func (p *platform) writesIn(place chats.Place, from chats.Person, text string, d time.Duration) {
	turn, handled := p.event()
	p.front.Message(chats.Message{Place: place, From: from, At: time.Now(), Text: text, Addressed: true, Turn: turn, Handled: handled})
	p.pass(d)
}

// presses presses the newest button with the label, as anna in private, and returns
// the reply.
func (p *platform) presses(label string) (reply string) {
	p.Helper()
	return p.pressesIn(private, anna, label)
}

// pressesIn presses the newest button with the label at a place and returns the
// reply.
func (p *platform) pressesIn(place chats.Place, from chats.Person, label string) (reply string) {
	p.Helper()
	press := chats.Press{Place: place, From: from, Reply: func(_ context.Context, text string) error {
		reply = text
		return nil
	}}
	p.memory.mu.Lock()
	for _, m := range p.messages {
		if m.Place.Chat != place.Chat {
			continue
		}
		for _, b := range slices.Concat(m.Buttons...) {
			if strings.Contains(b.Text, label) {
				press.Message, press.Data = m.id, b.Data
			}
		}
	}
	p.memory.mu.Unlock()
	if press.Data == "" {
		p.Fatalf("no button %q in %q", label, p.shown())
	}
	press.Turn, press.Handled = p.event()
	p.front.Press(press)
	p.pass(time.Second)
	return reply
}

func (p *platform) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// shown returns the messages of the bot.
func (p *platform) shown() (texts []string) {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	for _, m := range p.messages {
		texts = append(texts, strings.TrimSpace(m.Text.Text+"\n"+m.Below))
	}
	return texts
}

// shows asserts the beginnings of the messages of the bot.
func (p *platform) shows(want ...string) {
	p.Helper()
	got := p.shown()
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		p.Errorf("the platform shows\n%q\nand should show\n%q", got, want)
	}
}
