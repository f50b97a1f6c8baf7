package acp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/agent/child"
)

func TestFork_Succeeds_ClosesTheForkInItsProcess(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	if _, err := s.agent.OpenSession(t.Context(), s.session, bellcord.AgentSessionOpened{}, nil); err != nil {
		t.Fatal(err)
	}
	reply, err := s.agent.Request(t.Context(), s.session.ID, "", acp.UnstableForkSession, json.RawMessage(`{"sessionId":"ours","cwd":"/","mcpServers":[]}`))
	if err != nil || string(reply) != `{"sessionId":"session-1-fork"}` {
		t.Fatalf("%s, %v", reply, err)
	}
	received, err := os.ReadFile(filepath.Join(s.memory, "received"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, forked := strings.Cut(string(received), `"method":"session/fork"`)
	if !forked || !strings.Contains(after, `"method":"session/close","params":{"sessionId":"session-1-fork"}`) {
		t.Errorf("the fork was not closed: %s", received)
	}
}

func TestReleaseProcess_IdleSession_EndsItUntilTheNextUse(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	if s.agent.ReleaseProcess(s.session.ID) {
		t.Error("a session without a process had one released")
	}
	opened := func() bellcord.AgentSessionOpened {
		known, err := s.AgentSession(t.Context(), s.session.ID)
		if err != nil {
			t.Fatal(err)
		}
		return known
	}
	s.run("say hello")
	if !s.agent.ReleaseProcess(s.session.ID) {
		t.Fatal("the process of an idle session was not released")
	}
	params := json.RawMessage(`{"sessionId":"ours","cwd":"/","mcpServers":[]}`)
	if _, err := s.agent.Request(t.Context(), s.session.ID, "", acp.UnstableForkSession, params); !errors.Is(err, child.ErrNotRunning) {
		t.Fatalf("a request without a process: %v", err)
	}
	if _, err := s.agent.OpenSession(t.Context(), s.session, opened(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.agent.Request(t.Context(), s.session.ID, "", acp.UnstableForkSession, params); errors.Is(err, child.ErrNotRunning) {
		t.Error(err)
	}
	turn := s.prompt(bellcord.Prompt{Text: "stream"})
	steps := 0
	s.until(func(b bellcord.Body) bool {
		if _, is := b.(bellcord.StepStarted); is {
			steps++
		}
		return steps == 2 // one of each turn
	})
	if s.agent.ReleaseProcess(s.session.ID) {
		t.Error("the process of a running turn was released")
	}
	s.stop(turn)
}

func TestReleaseProcess_SharedProcess_KeepsTheWorkOfTheOtherSession(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	first, own := s.place()
	other := s.another()
	mine := token()
	if _, r := other.run("background " + mine); r.End != bellcord.EndDone {
		t.Fatalf("%s (%s)", r.End, r.Error)
	}
	for !s.agent.ReleaseProcess(s.session.ID) { // it is not known yet whether the process stays
		<-time.After(10 * time.Millisecond)
	}
	if !lives(mine) {
		t.Error("what the other session left was ended")
	}
	if pid, id := s.place(); pid == first || id != own {
		t.Errorf("process %s and session %s; before, %s and %s", pid, id, first, own)
	}
	if pid, _ := s.another().place(); pid == first {
		t.Error("a new session uses the process that was to be ended")
	}
	if pid, _ := other.place(); pid != first {
		t.Error("the other session has lost its process")
	}
}

func TestOpenSession_StoredAdditionalDirectories_ReachAnAgentThatAcceptsThem(t *testing.T) {
	t.Parallel()
	for manner, want := range map[string]bool{"directories": true, "": false} {
		s := onStage(t, manner)
		session, err := s.NewSession(t.Context(), bellcord.Session{Dir: t.TempDir(), AdditionalDirs: []string{"/srv/shared"}, Mode: "ask"})
		if err != nil {
			t.Fatal(err)
		}
		s.session = session
		s.run("say hello")
		received, err := os.ReadFile(filepath.Join(s.memory, "received"))
		if got := strings.Contains(string(received), `"additionalDirectories":["/srv/shared"]`); err != nil || got != want {
			t.Errorf("manner %q: sent %t, want %t (%v)", manner, got, want, err)
		}
	}
}

func TestOpenSession_OpenWithChangedSettings_ReturnsCurrentOnes(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	settings := func() (mode, option, model any) {
		opened, err := s.agent.OpenSession(t.Context(), s.session, bellcord.AgentSessionOpened{}, nil)
		var reply acp.NewSessionResponse
		if err == nil {
			err = acp.Decode(opened.Reply, &reply)
		}
		if err != nil {
			t.Fatalf("%s: %v", opened.Reply, err)
		}
		for _, o := range reply.ConfigOptions {
			switch o.Category {
			case "mode":
				option = o.CurrentValue
			case "model":
				model = o.CurrentValue
			}
		}
		return reply.Modes.CurrentModeID, option, model
	}
	if mode, option, model := settings(); mode != "x" || option != "x" || model != "fake/large" {
		t.Fatal(mode, option, model)
	}
	change := func(method, params string) {
		if _, err := s.agent.Request(t.Context(), s.session.ID, "", method, json.RawMessage(params)); err != nil {
			t.Fatal(err)
		}
	}
	change(acp.MethodSetConfigOption, `{"sessionId":"ours","configId":"mode","value":"plan"}`)
	if mode, option, model := settings(); mode != "plan" || option != "plan" || model != "fake/small" {
		t.Errorf("after a change of an option: %v, %v, %v", mode, option, model)
	}
	change(acp.MethodSetMode, `{"sessionId":"ours","modeId":"x"}`)
	if mode, option, model := settings(); mode != "x" || option != "x" || model != "fake/small" {
		t.Errorf("after a change of the mode: %v, %v, %v", mode, option, model)
	}
}

// An update from the time before the change of a setting is an older state.
func TestOpenSession_UpdateBeforeChangedSettings_ReturnsOnlyCurrentOnes(t *testing.T) {
	t.Parallel()
	s := onStage(t, "")
	states := func() string {
		t.Helper()
		known, err := s.AgentSession(t.Context(), s.session.ID)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := s.agent.OpenSession(t.Context(), s.session, known, nil)
		var reply acp.NewSessionResponse
		if err == nil {
			err = acp.Decode(opened.Reply, &reply)
		}
		if err != nil {
			t.Fatalf("%s: %v", opened.Reply, err)
		}
		return fmt.Sprintf("%s %v %s", reply.Modes.CurrentModeID, reply.ConfigOptions[0].CurrentValue, opened.Updates)
	}
	reports := func(update string) {
		t.Helper()
		if _, r := s.run("raw [" + update + "]"); r.End != bellcord.EndDone {
			t.Fatalf("%s: %s", r.End, r.Error)
		}
	}
	reports(`{"sessionUpdate":"current_mode_update","currentModeId":"x"}`)
	params := json.RawMessage(`{"sessionId":"ours","configId":"mode","value":"plan"}`)
	if _, err := s.agent.Request(t.Context(), s.session.ID, "", acp.MethodSetConfigOption, params); err != nil {
		t.Fatal(err)
	}
	if got := states(); got != "plan plan []" {
		t.Errorf("after a change of an option: %s", got)
	}
	reports(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"mode","category":"mode","type":"select","currentValue":"x"}]}`)
	reports(`{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`)
	if got := states(); got != "plan plan []" {
		t.Errorf("after two updates: %s", got)
	}
	reports(`{"sessionUpdate":"current_mode_update","currentModeId":"unlisted"}`)
	if got := states(); !strings.Contains(got, `[{"currentModeId":"unlisted"`) {
		t.Errorf("after a mode that the reply does not list: %s", got)
	}
}
