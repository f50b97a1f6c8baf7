package child_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/proc"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// most is the time limit for everything that a test waits for.
const most = 60 * time.Second

// grace replaces the hub's default, which a busy machine may use up. An agent
// that is abandoned is the sign of a stop that waits for something else.
const grace = 20 * time.Second

// TestMain lets the test binary act as the agent.
func TestMain(m *testing.M) {
	if os.Getenv("FAKE_AGENT") != "" {
		beAgent()
		return
	}
	os.Exit(m.Run())
}

// beAgent is an agent with a protocol of one command per line: it opens a
// session, acts on a prompt, and confirms a stop.
func beAgent() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		verb, text, _ := strings.Cut(in.Text(), " ")
		switch verb {
		case "open":
			if wait, err := time.ParseDuration(os.Getenv("FAKE_AGENT_START")); err == nil {
				<-time.After(wait)
			}
			for file := os.Getenv("FAKE_AGENT_AWAITS"); file != ""; <-time.After(5 * time.Millisecond) {
				if _, err := os.Stat(file); err == nil {
					break
				}
			}
			if text == "" {
				text = fmt.Sprintf("own-%d", os.Getpid())
			}
			fmt.Println("opened " + text)
		case "stop":
			fmt.Println("done")
		case "prompt":
			_, last, _ := strings.Cut(text, "\\n\\n")
			act(text, last)
		}
	}
}

func act(text, last string) {
	if last == "" {
		last = text
	}
	verb, rest, _ := strings.Cut(last, " ")
	switch verb {
	case "work":
		fmt.Println("say working on " + rest)
	case "leave":
		_ = exec.Command("setsid", "sleep", rest).Start()
		fmt.Println("say left")
	case "crash":
		fmt.Fprintln(os.Stderr, "the last straw")
		os.Exit(3)
	case "where":
		dir, _ := os.Getwd()
		fmt.Println("say " + dir)
		fmt.Println("done")
	case "parting":
		fmt.Println("say farewell")
		fmt.Println("done")
		os.Exit(0)
	default:
		fmt.Printf("say %d %s\n", os.Getpid(), text)
		fmt.Println("done")
	}
}

// plain is a Speaker for this protocol.
type plain struct {
	p     child.Process
	lines chan string
	quit  chan struct{}
	once  sync.Once
}

func newSpeaker(p child.Process) child.Speaker {
	return &plain{p: p, lines: make(chan string), quit: make(chan struct{})}
}

func (s *plain) Open(ctx context.Context, _ bellcord.Session, own string) (string, error) {
	go func() {
		defer close(s.lines)
		for in := bufio.NewScanner(s.p.Out); in.Scan(); {
			select {
			case s.lines <- in.Text():
			case <-s.quit:
				return
			}
		}
	}()
	s.p.In.Write([]byte("open " + own + "\n"))
	select {
	case line, more := <-s.lines:
		if !more {
			return "", child.ErrGone
		}
		return strings.TrimPrefix(line, "opened "), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (s *plain) Turn(ctx context.Context, w *hub.Work, p child.Prompt) error {
	text := p.Text
	if p.Note != "" {
		text = p.Note + "\n\n" + text
	}
	s.p.In.Write([]byte("prompt " + strings.ReplaceAll(text, "\n", `\n`) + "\n"))
	stopped := ctx.Done()
	var patience <-chan time.Time
	for {
		select {
		case line, more := <-s.lines:
			if !more {
				return child.ErrGone
			}
			if line == "done" {
				return nil
			}
			if err := w.Emit(bellcord.TextDelta{Text: strings.TrimPrefix(line, "say ")}); err != nil {
				return err
			}
		case <-stopped:
			stopped, patience = nil, time.After(child.Patience)
			s.p.In.Write([]byte("stop\n"))
		case <-patience:
			return child.ErrDeaf
		}
	}
}

func (s *plain) Close() { s.once.Do(func() { close(s.quit) }) }

// stage is a hub with a real store that hosts the fake agent.
type stage struct {
	*hub.Hub
	t       *testing.T
	agent   *child.Agent
	store   store.Store
	session bellcord.Session
}

func newStage(t *testing.T, change func(*child.Agent)) *stage {
	t.Helper()
	keeper, err := proc.Open("", proc.Options{Grace: 500 * time.Millisecond, AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, store: store, agent: &child.Agent{
		Definition: child.Definition{Name: "fake", Command: []string{os.Args[0]}, Env: []string{"FAKE_AGENT=1"}},
		Keeper:     child.Unconfined{Keeper: keeper}, NewSpeaker: newSpeaker,
	}}
	if change != nil {
		change(s.agent)
	}
	if s.Hub, err = hub.Open(t.Context(), store, s.agent, hub.Options{Grace: grace}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := s.Close(context.Background())
		s.agent.Close()
		if err := errors.Join(err, keeper.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	s.session = s.open()
	return s
}

func (s *stage) open() bellcord.Session {
	s.t.Helper()
	made, err := s.NewSession(s.t.Context(), bellcord.Session{Dir: s.t.TempDir()})
	if err != nil {
		s.t.Fatal(err)
	}
	return made
}

func (s *stage) prompt(session bellcord.SessionID, text string) *hub.Turn {
	s.t.Helper()
	turn, err := s.Prompt(session, bellcord.Prompt{Text: text})
	if err != nil {
		s.t.Fatal(err)
	}
	return turn
}

func (s *stage) end(turn *hub.Turn) bellcord.Receipt {
	s.t.Helper()
	select {
	case <-turn.Settled():
		return turn.Receipt()
	case <-time.After(most):
		s.t.Fatalf("turn %s does not end", turn.ID)
		return bellcord.Receipt{}
	}
}

// done expects the turn to end normally and returns its text.
func (s *stage) done(text string) string {
	s.t.Helper()
	turn := s.prompt(s.session.ID, text)
	if r := s.end(turn); r.End != bellcord.EndDone {
		s.t.Fatalf("%q ended %s: %s", text, r.End, r.Error)
	}
	return s.textOf(turn)
}

func (s *stage) stop(turn *hub.Turn) bellcord.Receipt {
	s.t.Helper()
	s.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson, By: "test"}))
	r := s.end(turn)
	if r.End != bellcord.EndStopped || r.AgentAbandoned || len(r.Processes.Survivors) > 0 {
		s.t.Errorf("the stopped turn ended %s (%s), abandoned %v, survivors %v", r.End, r.Error, r.AgentAbandoned, r.Processes.Survivors)
	}
	return r
}

func (s *stage) textOf(turn *hub.Turn) string {
	s.t.Helper()
	events, err := s.store.Events(context.Background(), turn.Session, 0, 1<<20)
	if err != nil {
		s.t.Fatal(err)
	}
	var text strings.Builder
	for _, ev := range events {
		if delta, is := ev.Body.(bellcord.TextDelta); is && ev.Turn == turn.ID {
			text.WriteString(delta.Text)
		}
	}
	return text.String()
}

// waitForText waits until a turn has emitted text.
func (s *stage) waitForText(turn *hub.Turn) {
	s.t.Helper()
	s.await(turn, func(b bellcord.Body) bool { _, is := b.(bellcord.TextDelta); return is })
}

func (s *stage) await(turn *hub.Turn, is func(bellcord.Body) bool) {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), most)
	defer done()
	cursor, err := s.Events(ctx, turn.Session, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, ev := range events {
			if ev.Turn == turn.ID && is(ev.Body) {
				return
			}
		}
	}
}
