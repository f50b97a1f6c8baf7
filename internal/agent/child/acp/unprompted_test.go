package acp_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// begin lets the fake agent begin its work without a prompt.
func (s *stage) begin() {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.memory, "go"), nil, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// unprompted waits until n turns of work without a prompt are accepted, and returns
// the last one.
func (s *stage) unprompted(n int) bellcord.TurnID {
	s.t.Helper()
	return s.untilEvent(func(b bellcord.Body) bool {
		if accepted, is := b.(bellcord.TurnAccepted); is && accepted.Task == bellcord.TaskUnprompted {
			n--
		}
		return n == 0
	}).Turn
}

// ended waits for the end of a turn.
func (s *stage) ended(turn bellcord.TurnID) bellcord.Receipt {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), patience)
	defer done()
	if err := s.Await(ctx, turn); err != nil {
		s.t.Fatal("the turn does not end: ", err)
	}
	record, err := s.store.Turn(ctx, turn)
	if err != nil || record.Receipt == nil {
		s.t.Fatalf("turn %v: %v", record, err)
	}
	return *record.Receipt
}

// turns returns the number of turns in the log.
func (s *stage) turns() int {
	s.t.Helper()
	all, err := s.store.Events(s.t.Context(), s.session.ID, 0, 100000)
	if err != nil {
		s.t.Fatal(err)
	}
	n := 0
	for _, ev := range all {
		if _, is := ev.Body.(bellcord.TurnAccepted); is {
			n++
		}
	}
	return n
}

func TestUnprompted_AgentContinues_WorkIsATurn(t *testing.T) {
	t.Parallel()
	for _, manner := range []string{"", "notifies", "idles"} {
		t.Run("manner "+manner, func(t *testing.T) {
			t.Parallel()
			s := onStage(t, manner)
			s.run("autonomous say hello again")
			s.begin()
			turn := s.unprompted(1)
			if r := s.ended(turn); r.End != bellcord.EndDone {
				t.Fatalf("%s (%s)", r.End, r.Error)
			}
			if got := s.textOf(turn); got != "hello again" {
				t.Errorf("recorded %q", got)
			}
			if answer, r := s.run("say next"); r.End != bellcord.EndDone || answer != "next" {
				t.Errorf("the next turn: %s (%s), said %q", r.End, r.Error, answer)
			}
		})
	}
}

func TestUnprompted_WorkIsOnlyACall_AnswerIsComplete(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.run("autonomous call")
	s.begin()
	turn := s.unprompted(1)
	if r := s.ended(turn); r.End != bellcord.EndDone || r.Calls.Finished != 1 || r.IncompleteText() != "" {
		t.Errorf("%s (%s), %d calls, %q", r.End, r.Error, r.Calls.Finished, r.IncompleteText())
	}
}

func TestUnprompted_Stop_EndsWorkAndItsProcesses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		manner string
		starts int
	}{"the agent responds": {"", 1}, "the agent does not respond": {"deaf", 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := onStage(t, c.manner)
			s.run("autonomous work")
			s.begin()
			turn := s.unprompted(1)
			s.until(calls)
			answers, err := s.Stop(bellcord.StopSession(s.session.ID, bellcord.Cause{By: "anna"})).Wait(t.Context())
			if err != nil || len(answers) != 1 || answers[0].Turn != turn {
				t.Fatalf("%+v, %v", answers, err)
			}
			r := answers[0].Receipt
			if r.End != bellcord.EndStopped || r.Cause.By != "anna" || len(r.Calls.Stopped) != 1 {
				t.Errorf("%s (%s), calls %+v", r.End, r.Error, r.Calls)
			}
			ended := map[string]bool{}
			for _, p := range r.Processes.Ended {
				ended[p.Name] = true
				if alive(p.PID) {
					t.Errorf("process %d (%s) is alive", p.PID, p.Name)
				}
			}
			if !ended["sleep 300"] || ended["fake"] != (c.starts == 2) || len(r.Processes.Survivors) > 0 {
				t.Errorf("processes %+v", r.Processes)
			}
			if answer, r := s.run("say next"); r.End != bellcord.EndDone || answer != "next" {
				t.Errorf("the next turn: %s (%s), said %q", r.End, r.Error, answer)
			}
			if got := s.received(); count(got, "session/cancel") == 0 || count(got, "initialize") != c.starts {
				t.Errorf("the agent was sent %v", got)
			}
		})
	}
}

func TestUnprompted_Permission_IsAsked(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.run("autonomous ask execute rm x")
	s.begin()
	turn := s.unprompted(1)
	asked := s.until(isQuestion).(bellcord.QuestionOpened)
	if err := s.Answer(turn, asked.Question.ID, bellcord.Reply{Choice: "y"}, "anna"); err != nil {
		t.Fatal(err)
	}
	if r := s.ended(turn); r.End != bellcord.EndDone {
		t.Fatalf("%s (%s)", r.End, r.Error)
	}
	if got := s.textOf(turn); !strings.Contains(got, `"optionId":"y"`) {
		t.Errorf("the agent got %s", got)
	}
}

func TestUnprompted_StopWhileAsked_WithdrawsQuestion(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.run("autonomous ask execute rm x")
	s.begin()
	turn := s.unprompted(1)
	s.until(isQuestion)
	s.Stop(bellcord.StopTurn(turn, bellcord.Cause{}))
	if r := s.ended(turn); r.End != bellcord.EndStopped || len(r.Calls.NotStarted) != 1 {
		t.Errorf("%s (%s), calls %+v", r.End, r.Error, r.Calls)
	}
}

func TestUnprompted_Requests_AreServed(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]string{"run echo up": "up", "write new.txt hello": "{}"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := onStage(t, "")
			s.session = s.newSession("full")
			s.run("autonomous " + what)
			s.begin()
			turn := s.unprompted(1)
			if r := s.ended(turn); r.End != bellcord.EndDone {
				t.Fatalf("%s (%s)", r.End, r.Error)
			}
			if got := s.textOf(turn); !strings.Contains(got, want) {
				t.Errorf("recorded %q, want %q in it", got, want)
			}
		})
	}
}

func TestUnprompted_RestOfATurn_OpensNone(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.begin()
	s.run(`raw [{"sessionUpdate":"tool_call","toolCallId":"c1","title":"work","status":"completed"}]`)
	s.run("autonomous rest")
	s.awaitFile("rested")
	if answer, r := s.run("say next"); r.End != bellcord.EndDone || answer != "next" {
		t.Errorf("the next turn: %s (%s), said %q", r.End, r.Error, answer)
	}
	if n := s.turns(); n != 3 {
		t.Errorf("%d turns in the log", n)
	}
}

// awaitFile waits for a file of the fake agent.
func (s *stage) awaitFile(name string) {
	s.t.Helper()
	late := time.After(patience)
	for {
		if _, err := os.Stat(filepath.Join(s.memory, name)); err == nil {
			return
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-late:
			s.t.Fatal("the agent did not create ", name)
		}
	}
}

func TestUnprompted_AgentContinuesAfterStops_IsEnded(t *testing.T) {
	t.Parallel()
	s := onStage(t, "stubborn")
	s.run("autonomous work")
	s.begin()
	first := s.unprompted(1)
	s.until(calls)
	s.Stop(bellcord.StopTurn(first, bellcord.Cause{By: "anna"}))
	for n := 2; n <= 3; n++ {
		if r := s.ended(s.unprompted(n)); r.End != bellcord.EndStopped || r.Cause.By != "anna" {
			t.Fatalf("turn %d: %s (%s)", n, r.End, r.Error)
		}
	}
	if answer, r := s.run("say next"); r.End != bellcord.EndDone || answer != "next" {
		t.Errorf("the next turn: %s (%s), said %q", r.End, r.Error, answer)
	}
	if n := count(s.received(), "initialize"); n != 2 || s.turns() != 5 {
		t.Errorf("the agent was started %d times, %d turns", n, s.turns())
	}
}

func TestUnprompted_PromptMeanwhile_RunsAfterwards(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.run("autonomous work")
	s.begin()
	first := s.unprompted(1)
	s.until(calls)
	next := s.prompt(bellcord.Prompt{Text: "say next"})
	s.Stop(bellcord.StopRequest{Turn: first, Queue: bellcord.QueueNext})
	if r := s.ended(first); r.End != bellcord.EndStopped {
		t.Errorf("%s (%s)", r.End, r.Error)
	}
	if r := s.settled(next); r.End != bellcord.EndDone || s.textOf(next.ID) != "next" {
		t.Errorf("the next turn: %s (%s)", r.End, r.Error)
	}
}

func TestUnprompted_TurnIsRefused_AgentIsEnded(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	refused := make(chan struct{})
	s.agent.Turns = refusing{s.Hub, refused}
	s.run("autonomous work")
	s.begin()
	<-refused
	late := time.Now().Add(patience)
	for count(s.received(), "initialize") < 2 { // a prompt starts a process if the first one was ended
		if time.Now().After(late) {
			t.Fatal("the agent was not ended")
		}
		s.run("say next")
	}
}

// refusing accepts no turns.
type refusing struct {
	*hub.Hub
	refused chan struct{}
}

func (r refusing) Prompt(bellcord.SessionID, bellcord.Prompt) (*hub.Turn, error) {
	close(r.refused)
	return nil, bellcord.ErrDraining
}
