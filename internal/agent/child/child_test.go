package child_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/child"
)

// pid returns the process id at the start of an answer.
func pid(answer string) string {
	first, _, _ := strings.Cut(answer, " ")
	return first
}

// eventually polls until holds returns true, and fails the test after a time
// limit.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for bound := time.Now().Add(most); !holds(); <-tick.C {
		if time.Now().After(bound) {
			t.Fatal("it never came true that " + what)
		}
	}
}

func gone(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err != nil || bytes.Contains(stat, []byte(") Z "))
}

func living(word string) (found []string) {
	dirs, _ := os.ReadDir("/proc")
	for _, d := range dirs {
		if line, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline"); bytes.Contains(line, []byte(word)) {
			found = append(found, d.Name())
		}
	}
	return found
}

func TestRun_SecondTurn_UsesTheSameProcess(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	first, second := s.done("one"), s.done("two")
	if pid(first) != pid(second) {
		t.Errorf("%q, then %q", first, second)
	}
}

func TestRun_SpareProcessInAnotherDirectory_IsUsedOnlyIfTheProtocolNamesTheDirectory(t *testing.T) {
	t.Parallel()
	for _, inDir := range []bool{true, false} {
		s := newStage(t, func(a *child.Agent) { a.InDir = inDir })
		spare := t.TempDir()
		if err := s.agent.Prepare(spare); err != nil {
			t.Fatal(err)
		}
		want := spare
		if inDir {
			want = s.session.Dir
		}
		want, err := filepath.EvalSymlinks(want)
		if got := s.done("where"); err != nil || got != want {
			t.Errorf("in its directory %v: the agent works in %s, want %s (%v)", inDir, got, want, err)
		}
	}
}

func TestIdle_TimeoutExpires_EndsOnlyIdleProcesses(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(a *child.Agent) { a.Idle = 100 * time.Millisecond })
	first := s.done("one")
	eventually(t, "the idle process is gone", func() bool { return gone(pid(first)) })
	busy := s.prompt(s.session.ID, "work hard")
	s.waitForText(busy)
	<-time.After(400 * time.Millisecond)
	if r := s.stop(busy); len(r.Processes.Ended) > 0 {
		t.Errorf("a busy process was ended: %+v", r.Processes)
	}
	if again := s.done("two"); pid(again) == pid(first) {
		t.Error("the dead answer")
	}
}

func TestIdle_NegativeTime_KeepsTheProcess(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(a *child.Agent) { a.Idle = -1 })
	first := s.done("one")
	for range 3 {
		if again := s.done("again"); pid(again) != pid(first) {
			t.Fatalf("process %s was replaced by %s", pid(first), pid(again))
		}
	}
}

func TestLaw02_StopWhileAgentStarts_IsImmediateAndProcessIsReused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "go")
	s := newStage(t, func(a *child.Agent) { a.Definition.Env = append(a.Definition.Env, "FAKE_AGENT_AWAITS="+file) })
	turn := s.prompt(s.session.ID, "one")
	s.await(turn, func(b bellcord.Body) bool { _, is := b.(bellcord.TurnStarted); return is })
	// The agent starts only after the stop has settled. A stop that waited for it
	// would end or abandon it.
	if r := s.stop(turn); len(r.Processes.Ended) > 0 {
		t.Errorf("the agent was ended: %+v", r.Processes)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if text := s.done("two"); !strings.HasSuffix(text, "two") {
		t.Errorf("%q", text)
	}
}

func TestLaw15_StoppedTurnLeavesProcess_EndsItAndKeepsAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	first := s.done("one")
	token := fmt.Sprintf("98762.%d", time.Now().UnixNano())
	turn := s.prompt(s.session.ID, "leave "+token)
	s.waitForText(turn)
	r := s.stop(turn)
	if found := living(token); len(found) > 0 || len(r.Processes.Ended) != 1 {
		t.Errorf("%v live; %+v", found, r.Processes)
	}
	if again := s.done("two"); pid(again) != pid(first) {
		t.Error("the agent was ended, too")
	}
}

func TestRun_AgentCrashes_FailsTurnAndNextPromptRestarts(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	first := s.done("one")
	r := s.end(s.prompt(s.session.ID, "crash"))
	if r.End != bellcord.EndFailed || !strings.Contains(r.Error, "exit code 3") || !strings.Contains(r.Error, "the last straw") {
		t.Errorf("%s %q", r.End, r.Error)
	}
	if again := s.done("two"); pid(again) == pid(first) {
		t.Errorf("%q", again)
	}
}

func TestRun_AgentExitsAfterAnswer_TurnIsDone(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for range 10 {
		s.done("parting")
		s.session = s.open() // a prompt that arrives while the process ends would fail
	}
}

func TestRun_AfterClear_StartsNewProcess(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	first := s.done("one")
	if _, err := s.Clear(s.session.ID, bellcord.Cause{Kind: bellcord.CausePerson}); err != nil {
		t.Fatal(err)
	}
	if again := s.done("two"); pid(again) == pid(first) {
		t.Error("the old process answers")
	}
}

func TestPrompt_AfterStoppedTurn_IncludesAnswerSoFarOnce(t *testing.T) {
	t.Parallel()
	for _, silent := range []bool{false, true} {
		s := newStage(t, func(a *child.Agent) { a.Silent = silent })
		turn := s.prompt(s.session.ID, "work on the roof")
		s.waitForText(turn)
		s.stop(turn)
		text := s.done("and now")
		if quoted := strings.Contains(text, "the previous turn was stopped") && strings.Contains(text, "Your answer so far: «working on on the roof»"); quoted == silent {
			t.Errorf("silent %v: %q", silent, text)
		}
		if text := s.done("later"); strings.Contains(text, "stopped") {
			t.Errorf("it is told twice: %q", text)
		}
	}
}

func TestRenew_AfterStop_StartsNewSessionWithConversation(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(a *child.Agent) { a.Definition.Renew = true })
	first := s.done("one")
	if again := s.done("two"); pid(again) != pid(first) {
		t.Error("it was renewed without a stop")
	}
	turn := s.prompt(s.session.ID, "work on the roof")
	s.waitForText(turn)
	s.stop(turn)
	text := s.done("and now")
	if pid(text) == pid(first) {
		t.Error("the old process answers")
	}
	for _, part := range []string{"the previous turn was stopped", "User: one", "You: working on on the roof", "and now"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not told: %q", part, text)
		}
	}
	if text := s.done("later"); strings.Contains(text, "User: one") {
		t.Errorf("it is told twice: %q", text)
	}
}

func TestClose_SeveralSessions_EndsAllAndRejectsPrompts(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	var pids []string
	for range 5 {
		s.session = s.open()
		pids = append(pids, pid(s.done("one")))
	}
	s.agent.Close()
	for _, p := range pids {
		if !gone(p) {
			t.Errorf("%s lives", p)
		}
	}
	if r := s.end(s.prompt(s.session.ID, "two")); r.End != bellcord.EndFailed {
		t.Errorf("%s", r.End)
	}
}

// belongings counts what a session could leave behind. Of the open files only
// pipes are counted, because the store opens files too.
func belongings() (goroutines, pipes int) {
	fds, _ := os.ReadDir("/proc/self/fd")
	for _, fd := range fds {
		if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); strings.HasPrefix(to, "pipe:") {
			pipes++
		}
	}
	return runtime.NumGoroutine(), pipes
}

// Not parallel: the counts are of the whole process.
func TestLaw18_TwoHundredSessionsHalfStopped_LeakNothingAndDoNotMix(t *testing.T) {
	s := newStage(t, nil)
	s.done("warm")
	goroutines, pipes := belongings()
	var all sync.WaitGroup
	gate := make(chan struct{}, 20) // limits the processes that run concurrently: two cores
	for i := range 200 {
		session := s.open()
		gate <- struct{}{}
		all.Go(func() {
			defer func() { <-gate }()
			word := fmt.Sprintf("session%d", i)
			turn := s.prompt(session.ID, "echo "+word)
			if i%2 == 0 {
				turn = s.prompt(session.ID, "work "+word)
				<-time.After(time.Duration(rand.IntN(100)) * time.Millisecond)
				s.stop(turn)
			} else if r := s.end(turn); r.End != bellcord.EndDone {
				t.Errorf("%s ended %s: %s", word, r.End, r.Error)
			}
			if text := s.textOf(turn); text != "" && !strings.HasSuffix(text, word) {
				t.Errorf("%s says %q", word, text)
			}
			s.agent.End(session.ID)
			if _, err := s.CloseSession(t.Context(), session.ID, bellcord.Cause{Kind: bellcord.CausePerson}); err != nil {
				t.Error(err)
			}
			s.agent.End(session.ID)
		})
	}
	all.Wait()
	back := func() bool {
		g, d := belongings()
		return g <= goroutines && d <= pipes
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for bound := time.Now().Add(10 * time.Second); !back() && time.Now().Before(bound); <-tick.C {
	}
	if g, d := belongings(); !back() {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines, before %d; %d pipes, before %d\n%s", g, goroutines, d, pipes, stacks[:runtime.Stack(stacks, true)])
	}
}

func TestClear_WhileAgentResumes_NextPromptOpensNewSession(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(a *child.Agent) { a.Definition.Env = append(a.Definition.Env, "FAKE_AGENT_START=1s") })
	s.done("one")
	s.agent.End(s.session.ID)
	turn := s.prompt(s.session.ID, "two") // the agent starts and resumes its session
	s.await(turn, func(b bellcord.Body) bool { _, is := b.(bellcord.TurnStarted); return is })
	s.stop(turn)
	if _, err := s.Clear(s.session.ID, bellcord.Cause{Kind: bellcord.CausePerson}); err != nil {
		t.Fatal(err)
	}
	turn = s.prompt(s.session.ID, "three")
	s.end(turn)
	s.await(turn, func(b bellcord.Body) bool { _, is := b.(bellcord.AgentSessionOpened); return is })
}
