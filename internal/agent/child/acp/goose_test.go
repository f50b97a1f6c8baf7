package acp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/agent/child"
	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// realGoose hosts goose with the fake model. peers/agents/install installs
// goose and prints the value for BELLCORD_AGENTS.
func realGoose(t *testing.T) (*stage, *fakemodel.Server) {
	t.Helper()
	program := filepath.Join(os.Getenv("BELLCORD_AGENTS"), "bin", "goose")
	if os.Getenv("BELLCORD_AGENTS") == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("BELLCORD_AGENTS is not set: CI has to run the real goose")
		}
		t.Skip("BELLCORD_AGENTS is not set: peers/agents/install prints what it must be")
	}
	model := fakemodel.New(fakemodel.WithLenience())
	running, url, err := model.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.Close() })
	goose, _ := preset.Named("goose")
	goose.Command[0] = program
	if goose, err = goose.Offline(t.TempDir(), strings.TrimSuffix(url, "/v1")); err != nil {
		t.Fatal(err)
	}
	d := child.Definition{Name: "goose", Command: goose.Command}
	for _, name := range slices.Sorted(maps.Keys(goose.Env)) {
		d.Env = append(d.Env, name+"="+goose.Env[name])
	}
	return hosting(t, d, ""), model
}

func TestLaw02_RealGooseStoppedRightAfterPrompt_LosesNoStop(t *testing.T) {
	t.Parallel()
	s, model := realGoose(t)
	if answer, r := s.run("[say ready]"); r.End != bellcord.EndDone || answer != "ready" {
		t.Fatalf("%s (%s), said %q", r.End, r.Error, answer)
	}
	var worst time.Duration
	for i := range 20 {
		r, took := s.stopInTheSameBreath("[slow 100 5ms]")
		worst = max(worst, took)
		if r.End != bellcord.EndStopped || r.AgentAbandoned {
			t.Fatalf("stop %d: %s (%s) after %s, abandoned %v", i, r.End, r.Error, took, r.AgentAbandoned)
		}
	}
	t.Log("the slowest of 20 stops took ", worst)
	for _, request := range model.Requests() {
		if strings.Contains(request.Prompt, "slow") && !request.Finished.IsZero() {
			t.Errorf("request %d was answered to its end, %d bytes", request.N, len(request.Sent))
		}
	}
	// goose keeps the prompts of stopped turns and sends all of them to the
	// model.
	if answer, r := s.run("[say well]"); r.End != bellcord.EndDone || !strings.HasSuffix(answer, "well") {
		t.Errorf("after them: %s (%s), said %q", r.End, r.Error, answer)
	}
	s.hosted(1)
}

func TestLaw15_RealGooseStoppedDuringShell_LeavesNoProcess(t *testing.T) {
	t.Parallel()
	s, _ := realGoose(t)
	s.session = s.newSession("full")
	marker := fmt.Sprintf("9%d", os.Getpid())
	args, err := json.Marshal(map[string]string{"command": "test -e done || { touch done; sleep " + marker + " & sleep " + marker + "; }"})
	if err != nil {
		t.Fatal(err)
	}
	turn := s.prompt(bellcord.Prompt{Text: "[tool shell " + string(args) + "]"})
	s.sleeping(marker)
	r, took := s.stop(turn)
	t.Logf("stopped after %s: %+v, calls %+v", took, r.Processes, r.Calls)
	if r.End != bellcord.EndStopped || r.AgentAbandoned || len(r.Processes.Survivors) > 0 || len(r.Calls.Stopped) != 1 {
		t.Fatalf("%s (%s), abandoned %v, calls %+v", r.End, r.Error, r.AgentAbandoned, r.Calls)
	}
	if left := sleepers(marker); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if r.Calls.Stopped[0].Name != "shell" {
		t.Errorf("the call's name is %q", r.Calls.Stopped[0].Name)
	}
	// goose keeps the prompt and drops the call, so the model makes it again;
	// this time the command ends.
	if answer, r := s.run("[say next]"); r.End != bellcord.EndDone || r.Calls.Finished != 1 {
		t.Errorf("the next turn: %s (%s), calls %+v, said %q", r.End, r.Error, r.Calls, answer)
	}
	s.hosted(1)
}

// hosted checks the number of the agent's sessions: if it is one, the agent's
// process was never ended.
func (s *stage) hosted(want int) {
	s.t.Helper()
	all, err := s.store.Events(s.t.Context(), s.session.ID, 0, 100000)
	if err != nil {
		s.t.Fatal(err)
	}
	n := 0
	for _, ev := range all {
		if _, is := ev.Body.(bellcord.AgentSessionOpened); is {
			n++
		}
	}
	if n != want {
		s.t.Errorf("the agent had %d sessions", n)
	}
}

// sleeping waits until a command with the marker is running.
func (s *stage) sleeping(marker string) {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); <-time.After(10 * time.Millisecond) {
		if len(sleepers(marker)) > 0 {
			return
		}
	}
	s.t.Fatal("the tool does not run")
}

func sleepers(marker string) []string {
	var found []string
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		line, _ := os.ReadFile(name)
		if strings.HasPrefix(string(line), "sleep\x00"+marker) {
			found = append(found, name)
		}
	}
	return found
}
