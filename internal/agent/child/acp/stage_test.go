package acp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/agent/child/acp"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/proc"
	"github.com/bellcord/bellcord/store/sqlite"
)

// patience is the time limit for everything that a test waits for. The machine
// is shared.
const patience = time.Minute

// grace replaces the hub's default, which a busy machine may use up. An agent
// that is abandoned is the sign of a stop that waits for something else.
const grace = 20 * time.Second

var timing = flag.Bool("timing", false, "assert durations that are promises; for a machine that does nothing else")

// stage is a hub with a real store, a hosted agent and one session.
type stage struct {
	*hub.Hub
	t       *testing.T
	store   *sqlite.Store
	agent   *child.Agent
	keeper  *proc.Keeper
	session bellcord.Session
	memory  string // directory of the fake agent
	only    string // acp.Options.SandboxedMode

	mu       sync.Mutex
	prompted func()                                                             // called right after a prompt was written to the agent
	editor   func(context.Context, tool.EditorCommand) (tool.EditorExit, error) // runs commands, if set
}

// breath writes to the agent and calls prompted after each prompt, so that a
// test can stop the turn immediately after the prompt is sent.
type breath struct {
	child.Writer
	*stage
}

func (b breath) Write(record []byte) {
	b.Writer.Write(record)
	b.mu.Lock()
	notify := b.prompted
	b.mu.Unlock()
	if notify != nil && bytes.Contains(record, []byte(`"method":"session/prompt"`)) {
		notify()
	}
}

// stopInTheSameBreath sends a prompt and stops the turn immediately after the
// prompt is written to the agent.
func (s *stage) stopInTheSameBreath(text string) (bellcord.Receipt, time.Duration) {
	s.t.Helper()
	id := bellcord.NewTurnID()
	var at time.Time
	s.mu.Lock()
	s.prompted = func() {
		at = time.Now()
		s.Stop(bellcord.StopTurn(id, bellcord.Cause{By: "test"}))
	}
	s.mu.Unlock()
	receipt := s.settled(s.prompt(bellcord.Prompt{Turn: id, Text: text}))
	s.mu.Lock()
	s.prompted = nil
	s.mu.Unlock()
	return receipt, time.Since(at)
}

// onStage hosts the fake agent with the given manner.
func onStage(t *testing.T, manner string, deny ...string) *stage {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	memory := t.TempDir()
	return hosting(t, child.Definition{
		Name: "fake", Command: []string{self}, Env: []string{fakeDir + "=" + memory, fakeManner + "=" + manner},
	}, memory, deny...)
}

func hosting(t *testing.T, d child.Definition, memory string, deny ...string) *stage {
	t.Helper()
	s := &stage{t: t, memory: memory}
	var err error
	if s.keeper, err = proc.Open("", proc.Options{Grace: 500 * time.Millisecond, AdoptOrphans: true}); err != nil {
		t.Fatal(err)
	}
	policy, err := permit.NewPolicy([]string{"shell(echo *)"}, deny, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.agent = &child.Agent{
		Definition: d, Keeper: child.Unconfined{Keeper: s.keeper}, Silent: true,
		NewSpeaker: func(p child.Process) child.Speaker {
			p.In = breath{p.In, s}
			opts := acp.Options{Policy: policy, Keeper: s.keeper, Version: "test", SandboxedMode: s.only}
			if s.editor != nil {
				opts.EditorTerminals = true
				opts.Editor = func(bellcord.SessionID) tool.EditorTools { return tool.EditorTools{Run: s.editor} }
			}
			return acp.New(p, opts)
		},
	}
	if s.store, err = sqlite.Open(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if s.Hub, err = hub.Open(t.Context(), s.store, s.agent, hub.Options{Grace: grace}); err != nil {
		t.Fatal(err)
	}
	s.agent.Turns = s.Hub
	t.Cleanup(func() {
		ctx, done := context.WithTimeout(context.Background(), patience)
		defer done()
		err := s.Close(ctx)
		s.agent.Close()
		if err := errors.Join(err, s.keeper.Close(), s.store.Close()); err != nil {
			t.Error(err)
		}
	})
	s.session = s.newSession("ask")
	return s
}

func (s *stage) newSession(mode string) bellcord.Session {
	s.t.Helper()
	session, err := s.NewSession(s.t.Context(), bellcord.Session{Dir: s.t.TempDir(), Mode: mode})
	if err != nil {
		s.t.Fatal(err)
	}
	return session
}

func (s *stage) prompt(p bellcord.Prompt) *hub.Turn {
	s.t.Helper()
	turn, err := s.Prompt(s.session.ID, p)
	if err != nil {
		s.t.Fatal(err)
	}
	return turn
}

// settled waits for a turn's end.
func (s *stage) settled(turn *hub.Turn) bellcord.Receipt {
	s.t.Helper()
	select {
	case <-turn.Settled():
	case <-time.After(patience):
		s.t.Fatal("the turn does not end")
	}
	return turn.Receipt()
}

// run sends a prompt and returns the turn's text and its receipt.
func (s *stage) run(text string) (string, bellcord.Receipt) {
	s.t.Helper()
	turn := s.prompt(bellcord.Prompt{Text: text})
	receipt := s.settled(turn)
	return s.textOf(turn.ID), receipt
}

// stop stops a turn and returns its receipt and how long the stop took.
func (s *stage) stop(turn *hub.Turn) (bellcord.Receipt, time.Duration) {
	s.t.Helper()
	at := time.Now()
	s.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "test"}))
	return s.settled(turn), time.Since(at)
}

func (s *stage) events(turn bellcord.TurnID) []bellcord.Body {
	s.t.Helper()
	all, err := s.store.Events(s.t.Context(), s.session.ID, 0, 100000)
	if err != nil {
		s.t.Fatal(err)
	}
	var bodies []bellcord.Body
	for _, ev := range bellcord.Joined(all) {
		if ev.Turn == turn {
			bodies = append(bodies, ev.Body)
		}
	}
	return bodies
}

func (s *stage) textOf(turn bellcord.TurnID) string {
	s.t.Helper()
	var text strings.Builder
	for _, b := range s.events(turn) {
		if delta, is := b.(bellcord.TextDelta); is {
			text.WriteString(delta.Text)
		}
	}
	return text.String()
}

// until waits for an event of the session for which matches returns true.
func (s *stage) until(matches func(bellcord.Body) bool) bellcord.Body {
	s.t.Helper()
	return s.untilEvent(matches).Body
}

// untilEvent is until for the whole event.
func (s *stage) untilEvent(matches func(bellcord.Body) bool) bellcord.Event {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), patience)
	defer done()
	cursor, err := s.Events(ctx, s.session.ID, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			s.t.Fatal("it did not come: ", err)
		}
		for _, ev := range events {
			if matches(ev.Body) {
				return ev
			}
		}
	}
}

func isText(b bellcord.Body) bool {
	_, is := b.(bellcord.TextDelta)
	return is
}

func isQuestion(b bellcord.Body) bool {
	_, is := b.(bellcord.QuestionOpened)
	return is
}

func calls(b bellcord.Body) bool {
	_, is := b.(bellcord.ToolCallStarted)
	return is
}

// received returns the methods that the fake agent received, in order.
func (s *stage) received() []string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.memory, "received"))
	if err != nil {
		s.t.Fatal(err)
	}
	var methods []string
	for line := range strings.Lines(string(text)) {
		var m struct {
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			s.t.Fatalf("the agent was sent %q: %v", line, err)
		}
		if m.Method == "" {
			m.Method = string(m.Result)
		}
		methods = append(methods, m.Method)
	}
	return methods
}

func count(list []string, what string) int {
	n := 0
	for _, one := range list {
		if one == what {
			n++
		}
	}
	return n
}
