package peers_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// hosted makes the clients talk to a real agent behind Bellcord, with a model that accepts what the
// agent sends. It skips the test if the agents of peers/agents/install are not there.
func (r *rig) hosted(name string) preset.Definition {
	r.Helper()
	named, _ := preset.Named(name)
	program := filepath.Join(os.Getenv("BELLCORD_AGENTS"), "bin", named.Command[0])
	if _, err := os.Stat(program); os.Getenv("BELLCORD_AGENTS") == "" || err != nil {
		if os.Getenv("CI") == "true" && name == "goose" { // CI installs it
			r.Fatal("the agent is not installed: run peers/agents/install")
		}
		r.Skip("the agent is not installed; peers/agents/install installs it")
	}
	r.model = fakemodel.New(fakemodel.WithLenience())
	running, url, err := r.model.Listen("")
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = running.Close() })
	d, err := named.Offline(r.path("agent"), strings.TrimSuffix(url, "/v1"))
	if err != nil {
		r.Fatal(err)
	}
	d.Command[0] = program
	var config strings.Builder
	fmt.Fprintf(&config, "[agents.%s]\nprotocol = %q\nhome = %q\nnew_session_after_stop = %v\ncommand = %s\n[agents.%s.env]\n", d.Name, d.Protocol, d.Home, d.Renew, asJSON(r.T, d.Command), d.Name)
	for _, variable := range slices.Sorted(maps.Keys(d.Env)) {
		fmt.Fprintf(&config, "%q = %q\n", variable, d.Env[variable])
	}
	if err := os.WriteFile(r.path("config.toml"), []byte(config.String()), 0o600); err != nil {
		r.Fatal(err)
	}
	r.env = append(r.env, tapCommand+"="+asJSON(r.T, append(r.agent, "--agent", d.Name))) // replaces the earlier one
	return d
}

// The front of version 2 is the same for hosted agents, which Bellcord drives in version 1.
func TestTypeScriptSDK_Version2HostedAgent_PassesTheAudit(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{"goose", "codex"} {
		for name, play := range map[string]func(*rig, preset.Definition){
			"a prompt is answered":                                     sdk2HostedPlain,
			"a cancel in mid-stream stops the model's request":         func(r *rig, _ preset.Definition) { sdkMidStream(r) },
			"a cancel during a command ends its processes before idle": sdk2HostedTool,
		} {
			t.Run(agent+": "+name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				r.version2 = true
				play(r, r.hosted(agent))
				r.judge()
			})
		}
	}
}

func sdk2HostedPlain(r *rig, _ preset.Definition) {
	const prompt = "[say hello from inside]"
	s := r.sdk("plain", prompt)
	s.answered(prompt, "end_turn")
	s.ended()
	if got := strings.Join(r.conversation(0), "\n"); !strings.Contains(got, ": hello from inside") {
		r.Errorf("conversation %q", got)
	}
}

func sdk2HostedTool(r *rig, d preset.Definition) {
	_, mark := sleeper()
	prompt := "[tool " + d.ShellTool + " " + d.ShellArgs("sleep "+mark+" & sleep "+mark) + "]"
	const next = "[reset] [say next]" // some agents repeat the stopped prompt for the model
	s := r.sdk("cancel", prompt, next)
	s.waits("stop")
	r.awaitRunning(mark, 2)
	s.goOn()
	s.answered(prompt, "cancelled")
	if left := running(r.T, mark); len(left) > 0 {
		r.Errorf("idle, and these still run: %q", left)
	}
	s.waits("next")
	s.goOn()
	s.answered(next, "end_turn")
	s.ended()
	if got := strings.Join(r.conversation(0), "\n"); !strings.Contains(got, ": cancelled ") {
		r.Errorf("the call did not end cancelled: %q", got)
	}
}
