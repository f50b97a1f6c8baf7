package acp_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// on returns the stage for another session.
func (s *stage) on(session bellcord.Session) *stage {
	return &stage{Hub: s.Hub, t: s.t, store: s.store, agent: s.agent, keeper: s.keeper, memory: s.memory, session: session}
}

// another returns the stage for a new session, which is open on a process.
func (s *stage) another() *stage {
	s.t.Helper()
	made := s.on(s.newSession("ask"))
	made.openNow()
	return made
}

// openNow opens the session on a process, as an editor does.
func (s *stage) openNow() {
	s.t.Helper()
	known, err := s.AgentSession(s.t.Context(), s.session.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.agent.OpenSession(s.t.Context(), s.session, known, nil); err != nil {
		s.t.Fatal(err)
	}
}

// place returns the process on which the session is, and the agent's session.
func (s *stage) place() (pid, own string) {
	s.t.Helper()
	text, r := s.run("pid")
	pid, own, found := strings.Cut(text, " ")
	if r.End != bellcord.EndDone || !found {
		s.t.Fatalf("%s (%s): %q", r.End, r.Error, text)
	}
	return pid, own
}

// running starts a turn that runs until it is stopped.
func (s *stage) running(text string) *hub.Turn {
	s.t.Helper()
	turn := s.prompt(bellcord.Prompt{Text: text})
	s.until(func(bellcord.Body) bool { return s.textOf(turn.ID) != "" })
	return turn
}

// token is the unique duration of a sleep, by which its process is found.
func token() string { return fmt.Sprintf("3%d.5", time.Now().UnixNano()%1e12) }

func lives(token string) bool { return exec.Command("pgrep", "-f", "sleep "+token).Run() == nil }

// endedSleep reports whether the process that "stream process" starts was ended. If the
// stop was early, it still has the name of what becomes "sleep 300".
func endedSleep(r bellcord.Receipt) bool {
	return slices.ContainsFunc(r.Processes.Ended, func(p bellcord.Process) bool { return strings.Contains(p.Name+" ", "sleep 300 ") })
}

func TestShared_SessionsTakeTurns_UseOneProcess(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	first, own := s.place()
	for range 3 {
		other := s.another()
		if pid, id := other.place(); pid != first || id == own {
			t.Errorf("session %s is on process %s, and session %s on process %s", id, pid, own, first)
		}
	}
	if pid, id := s.place(); pid != first || id != own {
		t.Errorf("after them, process %s and session %s; before, %s and %s", pid, id, first, own)
	}
	if n := count(s.received(), "initialize"); n != 1 {
		t.Errorf("%d processes were started", n)
	}
}

func TestShared_AgentThatCannotMove_HasAProcessForEachSession(t *testing.T) {
	t.Parallel()
	s := onStage(t, "noload")
	first, _ := s.place()
	if pid, _ := s.another().place(); pid == first {
		t.Error("they share a process")
	}
}

func TestShared_OtherOwner_HasAnotherProcess(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	first, _ := s.place()
	session, err := s.NewSession(t.Context(), bellcord.Session{Dir: s.session.Dir, Mode: "ask", Owner: "eve"})
	if err != nil {
		t.Fatal(err)
	}
	if pid, _ := s.on(session).place(); pid == first {
		t.Error("two owners share a process")
	}
}

func TestShared_OtherDirectoryInTheSandbox_HasAnotherProcess(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.agent.InDir = true
	first, _ := s.place()
	if pid, _ := s.another().place(); pid == first {
		t.Error("sessions of two directories share a process")
	}
	session, err := s.NewSession(t.Context(), bellcord.Session{Dir: s.session.Dir, Mode: "ask"})
	if err != nil {
		t.Fatal(err)
	}
	if pid, _ := s.on(session).place(); pid != first {
		t.Error("sessions of one directory have two processes")
	}
}

func TestShared_PromptDuringAnotherTurn_MovesAndKeepsTheSession(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	first, own := s.place()
	other := s.another()
	turn := other.running("stream process")
	pid, id := s.place()
	if pid == first || id != own {
		t.Errorf("process %s and session %s; before, %s and %s", pid, id, first, own)
	}
	left := s.running("stream process")
	if r, _ := other.stop(turn); r.End != bellcord.EndStopped || !endedSleep(r) {
		t.Errorf("%s: %+v", r.End, r.Processes)
	}
	if r, _ := s.stop(left); r.End != bellcord.EndStopped || !endedSleep(r) {
		t.Errorf("the stop of one turn ended processes of another: %s, %+v", r.End, r.Processes)
	}
	if got := s.received(); count(got, "session/close") != 1 || count(got, "session/load") != 1 {
		t.Errorf("the agent was sent %v", got)
	}
}

func TestLaw15_SharedProcessStopOfOneSession_KeepsWhatTheOtherLeft(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	other := s.another()
	mine := token()
	if _, r := s.run("background " + mine); r.End != bellcord.EndDone {
		t.Fatalf("%s (%s)", r.End, r.Error)
	}
	turn := other.running("stream process")
	r, _ := other.stop(turn)
	if r.End != bellcord.EndStopped || !endedSleep(r) || !lives(mine) {
		t.Errorf("%s, the process of the other session lives %v: %+v", r.End, lives(mine), r.Processes)
	}
	there, _ := other.place()
	if here, _ := s.place(); here == there {
		t.Error("a session uses a process on which another one has left work")
	}
	s.agent.End(s.session.ID)
	if lives(mine) {
		t.Error("what a session left lives after the end of the session")
	}
	if again, _ := other.place(); again != there {
		t.Error("the end of a session ended the process of another")
	}
}

// left returns how many processes of the turn's receipt continue in the background.
func left(r bellcord.Receipt) int { return len(r.Processes.Background) }

func TestShared_TurnLeavesAProcess_ReceiptsOfTheSessionListItWhileItLives(t *testing.T) {
	t.Parallel()
	for _, manner := range []string{"", "noload"} { // with and without a shared process
		t.Run(manner, func(t *testing.T) {
			t.Parallel()
			s := onStage(t, manner)
			other := s.another()
			if _, r := s.run("say hello"); left(r) != 0 {
				t.Errorf("nothing was left, listed %+v", r.Processes.Background)
			}
			mine := token()
			if _, r := s.run("background " + mine); r.End != bellcord.EndDone || left(r) != 1 || len(r.Processes.Ended) != 0 {
				t.Errorf("%s (%s): %+v", r.End, r.Error, r.Processes)
			}
			if r, _ := s.stop(s.running("stream process")); !endedSleep(r) || left(r) != 1 || !lives(mine) {
				t.Errorf("the process lives %v after a stop of the next turn: %+v", lives(mine), r.Processes)
			}
			_, r := s.run("say hello")
			if left(r) != 1 || r.Processes.Background[0].Name != "sleep "+mine {
				t.Errorf("the receipt of a later turn lists %+v", r.Processes.Background)
			}
			if _, r := other.run("say hello"); left(r) != 0 {
				t.Errorf("another session lists %+v", r.Processes.Background)
			}
			if err := exec.Command("pkill", "-f", "sleep "+mine).Run(); err != nil {
				t.Fatal(err)
			}
			for lives(mine) {
				<-time.After(10 * time.Millisecond)
			}
			if _, r := s.run("say hello"); left(r) != 0 {
				t.Errorf("the process has ended, listed %+v", r.Processes.Background)
			}
		})
	}
}

func TestShared_ProcessExitsRightAfterTheTurn_SessionsStayTogether(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	other := s.another()
	first, _ := s.place()
	if _, r := s.run("background 0.05"); r.End != bellcord.EndDone {
		t.Fatalf("%s (%s)", r.End, r.Error)
	}
	if pid, _ := other.place(); pid != first {
		t.Error("a process that exits at the end of a turn separates the sessions")
	}
}

func TestLaw02_SharedProcessDeafAgent_IsEndedAndTheOtherSessionsResume(t *testing.T) {
	t.Parallel()
	s := onStage(t, "deaf")
	first, own := s.place()
	other := s.another()
	turn := other.running("stream")
	if r, _ := other.stop(turn); r.End != bellcord.EndStopped || len(r.Processes.Ended) == 0 {
		t.Fatalf("%s: %+v", r.End, r.Processes)
	}
	if pid, id := s.place(); pid == first || id != own {
		t.Errorf("process %s and session %s; before, %s and %s", pid, id, first, own)
	}
	if n := count(s.received(), "session/new"); n != 2 {
		t.Errorf("%d sessions were opened instead of resumed", n-2)
	}
}

func TestShared_ProcessCrashesInATurn_OnlyThatTurnFails(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	_, own := s.place()
	other := s.another()
	if _, r := other.run("die"); r.End != bellcord.EndFailed {
		t.Fatalf("%s", r.End)
	}
	if _, id := s.place(); id != own {
		t.Errorf("session %s, before %s", id, own)
	}
}

func TestShared_UnpromptedWorkOfOneSession_OtherSessionMoves(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	other := s.another()
	there, _ := other.place()
	s.run("autonomous work")
	s.begin()
	turn := s.unprompted(1)
	s.until(calls)
	if pid, _ := other.place(); pid == there {
		t.Error("two sessions work on one process")
	}
	s.Stop(bellcord.StopTurn(turn, bellcord.Cause{By: "test"}))
	if r := s.ended(turn); r.End != bellcord.EndStopped || !endedSleep(r) {
		t.Errorf("%s: %+v", r.End, r.Processes)
	}
}

func TestShared_SessionEnds_TheOthersKeepTheProcess(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	first, own := s.place()
	other := s.another()
	s.agent.End(other.session.ID)
	if pid, id := s.place(); pid != first || id != own {
		t.Errorf("process %s and session %s; before, %s and %s", pid, id, first, own)
	}
	if n := count(s.received(), "session/close"); n != 1 {
		t.Errorf("the agent closed %d sessions", n)
	}
}

func TestShared_SessionCannotBeOpened_TheOthersKeepTheProcess(t *testing.T) {
	t.Parallel()
	s := onStage(t, "refuses")
	first, own := s.place()
	other := s.on(s.newSession("ask"))
	if _, err := s.agent.OpenSession(t.Context(), other.session, bellcord.AgentSessionOpened{}, nil); err == nil {
		t.Fatal("the session was opened")
	}
	if pid, id := s.place(); pid != first || id != own {
		t.Errorf("process %s and session %s; before, %s and %s", pid, id, first, own)
	}
}

func TestPrepare_SessionAndRequestsFollow_UseThePreparedProcess(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.agent.InDir = true
	if _, err := s.agent.Initialize(t.Context(), s.session.Dir); err != nil {
		t.Fatal(err)
	}
	s.place()
	if _, err := s.agent.Request(t.Context(), "", s.session.Dir, "session/list", nil); err == nil {
		t.Error("the fake agent has no list")
	}
	if n := count(s.received(), "initialize"); n != 1 {
		t.Errorf("%d processes were started", n)
	}
}

func TestPrepare_SessionInAnotherDirectory_EndsThePreparedProcess(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	s.agent.InDir = true
	if _, err := s.agent.Initialize(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
	s.place()
	if _, err := s.agent.Initialize(t.Context(), s.session.Dir); err != nil {
		t.Fatal(err)
	}
	if n := count(s.received(), "initialize"); n != 2 {
		t.Errorf("%d processes were started", n)
	}
}
