package laws_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// underWay is an agent that reports every turn that it runs, and whether the turn
// was stopped before. It works until a stop; the prompt "short" ends when end is
// closed.
type underWay struct {
	runs chan ranTurn
	end  chan struct{}
}

type ranTurn struct {
	text    string
	stopped bool
}

func (a underWay) Run(ctx context.Context, w *hub.Work) error {
	a.runs <- ranTurn{w.Prompt.Text, ctx.Err() != nil}
	if w.Prompt.Text == "short" {
		<-a.end
		return nil
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// workHub is a hub with an agent that works without prompts, in one session.
type workHub struct {
	*hub.Hub
	underWay
	t       *testing.T
	session bellcord.SessionID
}

// withUnprompted runs a test on each store, with a limit of two turns.
func withUnprompted(t *testing.T, do func(h workHub)) {
	t.Helper()
	for _, g := range grounds(t) {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			store, err := g.home(t, t.TempDir())(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			agent := underWay{make(chan ranTurn, 10), make(chan struct{})}
			opened, err := hub.Open(t.Context(), store, agent, hub.Options{Admission: &hub.Admission{Turns: 2, TurnsPerOwner: 2}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := errors.Join(opened.Close(context.Background()), store.Close()); err != nil {
					t.Error(err)
				}
			})
			s, err := opened.NewSession(t.Context(), bellcord.Session{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			do(workHub{opened, agent, t, s.ID})
		})
	}
}

func (h workHub) send(text string, task bellcord.Task) *hub.Turn {
	h.t.Helper()
	turn, err := h.Prompt(h.session, bellcord.Prompt{Text: text, Task: task})
	if err != nil {
		h.t.Fatal(err)
	}
	return turn
}

// ran expects the next turn that the agent runs.
func (h workHub) ran(want ranTurn) {
	h.t.Helper()
	select {
	case got := <-h.runs:
		if got != want {
			h.t.Errorf("the agent ran %+v, want %+v", got, want)
		}
	case <-time.After(30 * time.Second):
		h.t.Fatalf("the agent did not run %+v", want)
	}
}

func TestLaw02_UnpromptedWorkStoppedBeforeItsTurnRuns_AgentIsRunToEndIt(t *testing.T) {
	t.Parallel()
	withUnprompted(t, func(h workHub) {
		work := h.send("work", bellcord.TaskUnprompted)
		answers, err := h.Stop(bellcord.StopSession(h.session, by)).Wait(h.t.Context())
		if err != nil || len(answers) != 1 || answers[0].Turn != work.ID || answers[0].Receipt.End != bellcord.EndStopped {
			h.t.Fatalf("%+v, %v", answers, err)
		}
		select {
		case <-h.runs:
		default:
			h.t.Error("the agent was not run: its work goes on")
		}
	})
}

func TestLaw29_UnpromptedWork_RunsBeforeTheQueueAndIsNeverHeld(t *testing.T) {
	t.Parallel()
	withUnprompted(t, func(h workHub) {
		running := h.send("short", bellcord.TaskAnswer)
		h.ran(ranTurn{"short", false})
		queued := h.send("queued", bellcord.TaskAnswer)
		if _, err := h.Prompt(h.session, bellcord.Prompt{Text: "refused"}); !errors.Is(err, bellcord.ErrTooManyOfOwner) {
			h.t.Errorf("a third prompt: %v", err)
		}
		work := h.send("work", bellcord.TaskUnprompted)
		stop := h.Stop(bellcord.StopRequest{Session: h.session, Cause: by, Queue: bellcord.QueueHold})
		close(h.end)
		answers, err := stop.Wait(h.t.Context())
		if err != nil || len(answers) != 2 || answers[0].Turn != running.ID || answers[1].Turn != work.ID {
			h.t.Fatalf("%+v, %v", answers, err)
		}
		h.ran(ranTurn{"work", true})
		if r := running.Receipt(); len(r.HeldTurns) != 1 || r.HeldTurns[0] != queued.ID {
			h.t.Errorf("held %v", r.HeldTurns)
		}
		next := h.send("work", bellcord.TaskUnprompted) // the held prompt does not block it
		h.ran(ranTurn{"work", false})
		h.Stop(bellcord.StopTurn(next.ID, by))
		<-next.Settled()
	})
}
