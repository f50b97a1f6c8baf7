package drive

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// TestMain also runs the agent, when the test binary starts itself as one: alone
// with the argument agent, or as a Bellcord in front of it, which passes on
// everything or, with the name lossy, loses some features.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == "agent":
		serveAgent(false)
	case len(os.Args) > 1 && os.Args[1] == "acp":
		serveAgent(strings.HasPrefix(filepath.Base(os.Args[0]), "lossy"))
	default:
		os.Exit(m.Run())
	}
}

// serveAgent is a small ACP agent. A lossy one has no modes and one command less,
// and nothing else is missing.
func serveAgent(lossy bool) {
	conn := jsonrpc.New(os.Stdin, os.Stdout)
	update := func(session string, u object) {
		conn.Notify("session/update", object{"sessionId": session, "update": u})
	}
	_ = conn.Serve(func(m jsonrpc.Message) {
		var p struct{ SessionID string }
		_ = json.Unmarshal(m.Params, &p)
		switch m.Method {
		case "initialize":
			conn.Reply(m.ID, object{"protocolVersion": 1, "agentInfo": object{"name": "small", "version": "3"}, "agentCapabilities": object{}})
		case "session/new":
			opened, commands := object{"sessionId": "s"}, []object{{"name": "one", "description": "One"}, {"name": "two", "description": "Two"}}
			if !lossy {
				opened["modes"] = object{"currentModeId": "a", "availableModes": []object{{"id": "a", "name": "A"}, {"id": "b", "name": "B"}}}
			} else {
				commands = commands[:1]
			}
			conn.Reply(m.ID, opened)
			update("s", object{"sessionUpdate": "available_commands_update", "availableCommands": commands})
		case "session/prompt":
			update(p.SessionID, object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": "hello"}})
			conn.Reply(m.ID, object{"stopReason": "end_turn"})
		default:
			if m.IsRequest() {
				conn.Reply(m.ID, object{})
			}
		}
	}, func() {})
}

func TestCompare_FeaturesBehind_AreKeptOrReportedAsLost(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	lossy := filepath.Join(t.TempDir(), "lossy")
	if err := os.Symlink(self, lossy); err != nil {
		t.Skip("no links here:", err)
	}
	for _, test := range []struct {
		name, bellcord string
		lost           map[string]string
	}{
		{"kept", self, map[string]string{}},
		{"lost", lossy, map[string]string{
			"modes to choose": "absent", "a chosen mode is kept": "not offered", "commands announced": "1 of 2 missing: two",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			agent := Command(func(string) (preset.Definition, error) {
				return preset.Definition{Name: "command", Command: []string{self, "agent"}, Protocol: preset.ACP}, nil
			})
			all, version, err := Compare(t.Context(), Place{Bellcord: test.bellcord, Environment: func(preset.Definition) []string { return nil }}, agent)
			if err != nil || version != "3" || len(all) != len(Names()) {
				t.Fatalf("%d features of version %q, %v", len(all), version, err)
			}
			for _, c := range all {
				want, loses := test.lost[c.Feature]
				if loses != (c.Lost != "") || !strings.Contains(c.Lost, want) {
					t.Errorf("%s: lost %q, want %q; bare %+v, behind %+v", c.Feature, c.Lost, want, c.Bare, c.Behind)
				}
				if test.name == "lost" && loses && c.Bare.State != Present {
					t.Errorf("%s is not present bare: %+v", c.Feature, c.Bare)
				}
			}
		})
	}
}
