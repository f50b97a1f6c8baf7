package pi_test

import (
	"context"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/agent/child/pi"
	"github.com/bellcord/bellcord/proc"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// most is the time limit for everything that a test waits for.
const most = 2 * time.Minute

// grace replaces the hub's default, which a busy machine may use up. An agent
// that is abandoned is the sign of a stop that waits for something else.
const grace = 20 * time.Second

var timing = flag.Bool("timing", false, "assert durations that are promises; for a machine that does nothing else")

// stage is a hub with a real store that hosts a pi, and one session.
type stage struct {
	*hub.Hub
	t       *testing.T
	agent   *child.Agent
	store   store.Store
	session bellcord.Session
	flavour string // of the fake pi
}

func newStage(t *testing.T, d child.Definition) *stage {
	t.Helper()
	keeper, err := proc.Open("", proc.Options{Grace: 500 * time.Millisecond, AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, store: store, agent: &child.Agent{Definition: d, Keeper: child.Unconfined{Keeper: keeper}, NewSpeaker: pi.New, InDir: true}}
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
	if s.session, err = s.NewSession(t.Context(), bellcord.Session{Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stage) prompt(p bellcord.Prompt) *hub.Turn {
	s.t.Helper()
	turn, err := s.Prompt(s.session.ID, p)
	if err != nil {
		s.t.Fatal(err)
	}
	return turn
}

// run sends a prompt and returns the turn's receipt.
func (s *stage) run(text string) bellcord.Receipt {
	s.t.Helper()
	return s.end(s.prompt(bellcord.Prompt{Text: text}))
}

func (s *stage) end(turn *hub.Turn) bellcord.Receipt {
	s.t.Helper()
	select {
	case <-turn.Settled():
		return turn.Receipt()
	case <-time.After(most):
		s.t.Fatalf("the turn does not end; its log: %s", s.kinds(turn.ID))
		return bellcord.Receipt{}
	}
}

// done expects the turn to end normally and returns its text.
func (s *stage) done(text string) string {
	s.t.Helper()
	turn := s.prompt(bellcord.Prompt{Text: text})
	if r := s.end(turn); r.End != bellcord.EndDone {
		s.t.Fatalf("%q ended %s: %s", text, r.End, r.Error)
	}
	return textOf(s.bodies(turn.ID))
}

// stop stops the turn and checks what holds for every stop.
func (s *stage) stop(turn *hub.Turn) bellcord.Receipt {
	s.t.Helper()
	s.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson, By: "test"}))
	r := s.end(turn)
	if r.End != bellcord.EndStopped || r.AgentAbandoned || len(r.Processes.Survivors) > 0 {
		s.t.Errorf("the stopped turn ended %s (%s), abandoned %v, survivors %v", r.End, r.Error, r.AgentAbandoned, r.Processes.Survivors)
	}
	return r
}

// await waits until the turn's log contains a body for which is returns true.
func (s *stage) await(turn *hub.Turn, is func(bellcord.Body) bool) bellcord.Body {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), most)
	defer done()
	cursor, err := s.Events(ctx, s.session.ID, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(ctx)
		if err != nil {
			s.t.Fatalf("%v; the log: %+v", err, s.bodies(turn.ID))
		}
		for _, ev := range events {
			if ev.Turn == turn.ID && is(ev.Body) {
				return ev.Body
			}
			if _, ended := ev.Body.(bellcord.TurnEnded); ended && ev.Turn == turn.ID {
				s.t.Fatalf("the turn ended before: %s", s.kinds(turn.ID))
			}
		}
	}
}

// bodies returns the bodies of a turn in the store, with the pieces of a stream
// joined.
func (s *stage) bodies(id bellcord.TurnID) []bellcord.Body {
	s.t.Helper()
	events, err := s.store.Events(context.Background(), s.session.ID, 0, 1<<20)
	if err != nil {
		s.t.Fatal(err)
	}
	events = slices.DeleteFunc(events, func(ev bellcord.Event) bool { return ev.Turn != id })
	var all []bellcord.Body
	for _, ev := range bellcord.Joined(events) {
		all = append(all, ev.Body)
	}
	return all
}

// after returns the bodies of a turn in the store that follow the first one of
// a kind.
func (s *stage) after(id bellcord.TurnID, kind string) []bellcord.Body {
	s.t.Helper()
	all := s.bodies(id)
	i := slices.IndexFunc(all, func(b bellcord.Body) bool { return b.Kind() == kind })
	if i < 0 {
		s.t.Fatalf("the turn has no %s: %s", kind, s.kinds(id))
	}
	return all[i+1:]
}

// kinds returns the kinds of a turn's events, separated by spaces.
func (s *stage) kinds(id bellcord.TurnID) string {
	s.t.Helper()
	var all []string
	for _, b := range s.bodies(id) {
		all = append(all, b.Kind())
	}
	return strings.Join(all, " ")
}

// hosted returns pi's sessions in the log, in order.
func (s *stage) hosted() []string {
	s.t.Helper()
	events, err := s.store.Events(context.Background(), s.session.ID, 0, 1<<20)
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for _, ev := range events {
		if h, is := ev.Body.(bellcord.AgentSessionOpened); is {
			all = append(all, h.AgentSession)
		}
	}
	return all
}

func textOf(bodies []bellcord.Body) string {
	var text strings.Builder
	for _, b := range bodies {
		if s, is := b.(bellcord.TextDelta); is {
			text.WriteString(s.Text)
		}
	}
	return text.String()
}

func of[B bellcord.Body](bodies []bellcord.Body) []B {
	var all []B
	for _, b := range bodies {
		if one, is := b.(B); is {
			all = append(all, one)
		}
	}
	return all
}

func kind[B bellcord.Body](b bellcord.Body) bool {
	_, is := b.(B)
	return is
}
