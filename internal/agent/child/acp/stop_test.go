package acp_test

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/child"
)

func TestLaw07_AnyResponseToStop_TurnIsStopped(t *testing.T) {
	t.Parallel()
	for _, manner := range []string{"", "finishes", "breaks", "withdraws", "late double"} {
		t.Run("manner "+manner, func(t *testing.T) {
			t.Parallel()
			s := onStage(t, manner)
			turn := s.prompt(bellcord.Prompt{Text: "stream"})
			s.until(isText)
			s.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{}))
			receipt, took := s.stop(turn)
			t.Log("stopped after ", took)
			if receipt.End != bellcord.EndStopped || receipt.AgentAbandoned || receipt.Kept.TextBytes == 0 {
				t.Errorf("%s (%s) after %s, abandoned %v, kept %+v", receipt.End, receipt.Error, took, receipt.AgentAbandoned, receipt.Kept)
			}
			if answer, r := s.run("say next"); r.End != bellcord.EndDone || answer != "next" {
				t.Errorf("the next turn: %s (%s), said %q", r.End, r.Error, answer)
			}
			if got := s.received(); count(got, "initialize") != 1 || took < 250*time.Millisecond && count(got, "session/cancel") != 1 {
				t.Errorf("the agent was sent %v", got)
			}
		})
	}
}

func TestLaw02_FiftyStopsRightAfterPrompt_NoneIsLost(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.run("say ready")
	for i := range 50 {
		if r, took := s.stopInTheSameBreath("stream"); r.End != bellcord.EndStopped || r.AgentAbandoned {
			t.Fatalf("stop %d: %s (%s) after %s, abandoned %v", i, r.End, r.Error, took, r.AgentAbandoned)
		}
	}
	// An agent that a stop was lost for is ended, and started again.
	if answer, r := s.run("say well"); r.End != bellcord.EndDone || answer != "well" {
		t.Errorf("after them: %s (%s), said %q", r.End, r.Error, answer)
	}
	last := ""
	for _, method := range s.received() {
		if method == "session/cancel" && last != "session/prompt" && last != "session/cancel" {
			t.Errorf("a cancel came behind %s", last)
		}
		last = method
	}
	if n := count(s.received(), "initialize"); n != 1 {
		t.Errorf("the agent was started %d times", n)
	}
}

func TestStop_AgentLosesCancel_CancelIsRepeated(t *testing.T) {
	t.Parallel()
	s := onStage(t, "loses")
	s.run("say ready")
	for range 3 {
		r, took := s.stopInTheSameBreath("stream")
		if r.End != bellcord.EndStopped || r.AgentAbandoned {
			t.Fatalf("%s (%s) after %s, abandoned %v", r.End, r.Error, took, r.AgentAbandoned)
		}
	}
	s.run("say well") // an agent that was ended is started again for it
	if got := s.received(); count(got, "initialize") != 1 {
		t.Errorf("the agent was ended for it: %v", got)
	}
}

func TestLaw02_StopBeforeInitialize_SendsNoPrompt(t *testing.T) {
	t.Parallel()
	s := onStage(t, "sleepy")
	turn := s.prompt(bellcord.Prompt{Text: "say never"})
	s.until(func(b bellcord.Body) bool {
		_, is := b.(bellcord.TurnStarted)
		return is
	})
	// The agent is not awake yet. A stop that waited for it would abandon it.
	if r, took := s.stop(turn); r.End != bellcord.EndStopped || r.AgentAbandoned {
		t.Fatalf("%s (%s) after %s, abandoned %v", r.End, r.Error, took, r.AgentAbandoned)
	}
	wake(t, s)
	if answer, r := s.run("say awake"); r.End != bellcord.EndDone || answer != "awake" {
		t.Fatalf("%s (%s), said %q", r.End, r.Error, answer)
	}
	if got := s.received(); count(got, "session/prompt") != 1 || count(got, "initialize") != 1 || count(got, "session/cancel") != 0 {
		t.Errorf("the agent was sent %v", got)
	}
}

func TestLaw15_AgentLeavesProcess_StopEndsItAndKeepsAgent(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	turn := s.prompt(bellcord.Prompt{Text: "stream process"})
	s.until(calls)
	s.until(isText)
	r, took := s.stop(turn)
	t.Log("stopped after ", took)
	if r.End != bellcord.EndStopped || len(r.Processes.Ended) == 0 || len(r.Processes.Survivors) > 0 {
		t.Fatalf("%s (%s), processes %+v", r.End, r.Error, r.Processes)
	}
	for _, p := range r.Processes.Ended {
		if alive(p.PID) {
			t.Errorf("process %d (%s) is alive", p.PID, p.Name)
		}
	}
	if len(r.Calls.Stopped) != 1 { // not finished, as the agent reports
		t.Errorf("calls %+v", r.Calls)
	}
	if answer, r := s.run("say alive"); r.End != bellcord.EndDone || answer != "alive" || count(s.received(), "initialize") != 1 {
		t.Errorf("%s (%s), said %q", r.End, r.Error, answer)
	}
}

func TestLaw30_StopDuringQuestion_CancelIsSentBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	s := onStage(t, "waits")
	turn := s.prompt(bellcord.Prompt{Text: "stream question"})
	s.until(isQuestion)
	r, took := s.stop(turn)
	if r.End != bellcord.EndStopped || r.AgentAbandoned || len(r.WithdrawnQuestions) != 1 || len(r.Calls.NotStarted) != 1 {
		t.Fatalf("%s (%s) after %s, abandoned %v, questions %v, calls %+v", r.End, r.Error, took, r.AgentAbandoned, r.WithdrawnQuestions, r.Calls)
	}
	got := s.received()
	text := strings.Join(got, "\n")
	cancel, answer := strings.Index(text, "session/cancel"), strings.Index(text, `{"outcome":{"outcome":"cancelled"}}`)
	if cancel < 0 || answer < cancel {
		t.Errorf("the agent was sent %v", got)
	}
	if answer, r := s.run("say on"); r.End != bellcord.EndDone || answer != "on" || count(s.received(), "initialize") != 1 {
		t.Errorf("%s (%s), said %q", r.End, r.Error, answer)
	}
}

func TestLaw10_AgentContinuesAfterStop_RecordsNothing(t *testing.T) {
	t.Parallel()
	s := onStage(t, "talks")
	turn := s.prompt(bellcord.Prompt{Text: "stream tool"})
	s.until(isText)
	r, took := s.stop(turn)
	if r.End != bellcord.EndStopped || took < 2*time.Second {
		t.Fatalf("%s (%s) after %s: the agent did not talk on", r.End, r.Error, took)
	}
	stopped := false
	for _, b := range s.events(turn.ID) {
		switch b.(type) {
		case bellcord.StopRequested:
			stopped = true
		case bellcord.TextDelta, bellcord.ThinkingDelta, bellcord.ToolCallRequested, bellcord.ToolCallStarted, bellcord.ToolOutputDelta, bellcord.ToolCallEnded:
			if stopped {
				t.Errorf("recorded after the stop: %s %+v", b.Kind(), b)
			}
		}
	}
	if len(r.Calls.Stopped) != 1 || r.Calls.Stopped[0].Call != "c1" || r.Calls.Finished != 0 {
		t.Errorf("calls %+v", r.Calls)
	}
}

func TestLaw12_AgentIgnoresStop_IsEndedAndNextPromptRestarts(t *testing.T) {
	t.Parallel()
	s := onStage(t, "deaf")
	turn := s.prompt(bellcord.Prompt{Text: "stream process"})
	s.until(isText)
	r, took := s.stop(turn)
	t.Log("stopped after ", took)
	if r.End != bellcord.EndStopped || r.AgentAbandoned || len(r.Processes.Ended) < 2 {
		t.Fatalf("%s (%s) after %s, abandoned %v, processes %+v", r.End, r.Error, took, r.AgentAbandoned, r.Processes)
	}
	if child.Patience > hub.DefaultGrace/2 {
		t.Errorf("%s are left of the hub's %s to end the processes", hub.DefaultGrace-child.Patience, hub.DefaultGrace)
	}
	if answer, r := s.run("say back"); r.End != bellcord.EndDone || answer != "back" {
		t.Errorf("%s (%s), said %q", r.End, r.Error, answer)
	}
	got := s.received()
	if count(got, "initialize") != 2 || count(got, "session/load") != 1 || count(got, "session/cancel") != 3 {
		t.Errorf("the agent was sent %v", got)
	}
}

func TestForcedStop_UnresponsiveAgent_DoesNotWait(t *testing.T) {
	t.Parallel()
	s := onStage(t, "deaf")
	turn := s.prompt(bellcord.Prompt{Text: "stream"})
	s.until(isText)
	s.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{}))
	s.Stop(bellcord.StopRequest{Turn: turn.ID, Mode: bellcord.StopForce})
	at := time.Now()
	if r := s.settled(turn); r.End != bellcord.EndStopped {
		t.Errorf("%s (%s)", r.End, r.Error)
	} else if *timing && (r.AgentAbandoned || time.Since(at) > 2*time.Second) {
		t.Errorf("abandoned %v, after %s", r.AgentAbandoned, time.Since(at))
	}
	// A stop that waits sends the cancel three times before it ends the agent.
	if answer, r := s.run("say back"); r.End != bellcord.EndDone || answer != "back" {
		t.Errorf("%s (%s), said %q", r.End, r.Error, answer)
	}
	if got := s.received(); count(got, "session/cancel") > 2 {
		t.Errorf("the agent was sent %v", got)
	}
}

// alive reports whether a process exists and is not a zombie.
func alive(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}
