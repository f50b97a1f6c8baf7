package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

func TestTurn_ModeNeedsASandboxThatCannotStart_UserIsToldOnce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		only, set string
		want      []bool // for each turn, whether the user is told
	}{
		"the mode works":          {"x", "", []bool{false, false}},
		"every mode works":        {"", "plan", []bool{false, false}},
		"the mode of the start":   {"plan", "", []bool{true, false}},
		"a mode that is set":      {"x", "plan", []bool{true, false}},
		"a mode that is set back": {"plan", "plan", []bool{false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := onStage(t, "")
			s.only = c.only
			if _, err := s.agent.OpenSession(t.Context(), s.session, bellcord.AgentSessionOpened{}, nil); err != nil {
				t.Fatal(err)
			}
			if c.set != "" {
				params := json.RawMessage(`{"sessionId":"ours","modeId":"` + c.set + `"}`)
				if _, err := s.agent.Request(t.Context(), s.session.ID, "", acp.MethodSetMode, params); err != nil {
					t.Fatal(err)
				}
			}
			for i, want := range c.want {
				text, r := s.run("say hello")
				if r.End != bellcord.EndDone || !strings.HasSuffix(text, "hello") {
					t.Fatalf("turn %d: %q, %+v", i, text, r)
				}
				if told := strings.Contains(text, `Set its mode "`+c.only+`"`); told != want {
					t.Errorf("turn %d: the user was told: %v, in %q", i, told, text)
				}
			}
		})
	}
}
