package config_test

import (
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

func TestCeiling_ModeOrAgentAboveIt_IsAnError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		configured, highest, requested, agent string
		err                                   string
	}{
		{"ask", "", "ask", "", ""},
		{"ask", "", "read-only", "", ""},
		{"ask", "", "auto-edit", "", "max_mode"},
		{"ask", "", "full", "", "max_mode"},
		{"read-only", "", "ask", "", "max_mode"},
		{"ask", "auto-edit", "auto-edit", "", ""},
		{"ask", "auto-edit", "full", "", "max_mode"},
		{"full", "", "full", "", ""},
		{"ask", "", "ask", "goose", ""},
		{"ask", "", "ask", "codex", "agents"},
	}
	for _, test := range tests {
		c := config.Config{Mode: test.configured, Serve: config.Serve{MaxMode: test.highest, Agents: []string{"goose"}}}
		err := c.Ceiling(test.requested, test.agent)
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestCheck_MaxModeBelowMode_IsAnError(t *testing.T) {
	t.Parallel()
	for highest, want := range map[string]string{"read-only": "above serve.max_mode", "everything": "unknown mode", "full": ""} {
		c := config.Config{Mode: "ask", Serve: config.Serve{MaxMode: highest}}
		err := c.Check()
		if got := err != nil && strings.Contains(err.Error(), "max_mode"); got != (want != "") {
			t.Errorf("max_mode %s: %v", highest, err)
		}
	}
}
