//go:build linux

// Package agents_test drives the real agents that Bellcord can host, with the fake model as their
// only service: it checks that the presets start them, that they need no network, and that their
// shell tool matches the preset. peers/agents/install installs them and prints the value for
// BELLCORD_AGENTS.
package agents_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/agent/preset"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// bound is the timeout for one agent; most take ten seconds.
const bound = 120 * time.Second

// installed are the programs that the installer provides, with their presets. CI requires those of
// the first lines.
var installed = []struct {
	program, preset string
	always          bool
}{
	{"pi-1.5.0", "pi", true},
	{"pi-0.74.2", "pi", true},
	{"goose", "goose", true},
	{"opencode", "opencode", true},
	{"claude-agent-acp", "claude", false},
	{"codex-acp", "codex", false},
	{"gemini", "gemini", false},
	{"qwen", "qwen", false},
	{"kimi", "kimi", false},
}

func TestPreset_WithOnlyAModel_AnswersAndRunsACommand(t *testing.T) {
	t.Parallel()
	for _, agent := range installed {
		t.Run(agent.program, func(t *testing.T) {
			t.Parallel()
			program := installedAt(t, agent.program, agent.always)
			definition, known := preset.Named(agent.preset)
			if !known {
				t.Fatalf("there is no preset %s", agent.preset)
			}
			definition.Command[0] = program
			try(t, definition)
		})
	}
}

// installedAt finds a program. If it is not installed the test is skipped, or fails in CI if always
// is set.
func installedAt(t *testing.T, program string, always bool) string {
	t.Helper()
	folder := os.Getenv("BELLCORD_AGENTS")
	path := filepath.Join(folder, "bin", program)
	if _, err := os.Stat(path); folder != "" && err == nil {
		return path
	}
	if always && os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed: run peers/agents/install and set BELLCORD_AGENTS to what it prints", program)
	}
	t.Skipf("%s is not installed: peers/agents/install installs it and prints what BELLCORD_AGENTS must be", program)
	return ""
}

func try(t *testing.T, definition preset.Definition) {
	t.Helper()
	model := fakemodel.New(fakemodel.WithLenience())
	running, url, err := model.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.Close() })
	folder := t.TempDir()
	definition, err = definition.Offline(folder, strings.TrimSuffix(url, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, done := context.WithTimeout(t.Context(), bound)
	defer done()
	work := filepath.Join(folder, "work")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	agent := start(t, definition, work)
	t.Cleanup(func() { explain(t, model) })

	if definition.Name == "kimi" {
		// After the first prompt of a session kimi adds a user message with the date. That message
		// hides the markers of the prompt from the fake model.
		agent.prompt(ctx, "Good morning.")
	}
	if greeting := agent.prompt(ctx, "[say hello]"); strings.TrimSpace(greeting) != "hello" {
		t.Errorf("the agent answered %q to [say hello]", greeting)
	}
	if offered := toolsOffered(t, model.Requests()); !slices.Contains(offered, definition.ShellTool) {
		t.Errorf("the shell tool should be %s, the agent offers %q", definition.ShellTool, offered)
	}
	const command = "echo hi | tee ran"
	answer := agent.prompt(ctx, "[tool "+definition.ShellTool+" "+definition.ShellArgs(command)+"] [then [say goodbye]]")
	if strings.TrimSpace(answer) != "goodbye" {
		t.Errorf("the agent answered %q after its command", answer)
	}
	if requested := agent.requestedPermission(); requested != (definition.Protocol == preset.ACP) {
		t.Errorf("the agent asked whether the command may run: %v", requested)
	}
	for _, q := range model.Requests() {
		if q.Model != definition.Model && definition.Name != "claude" && definition.Name != "codex" {
			t.Errorf("request %d is for the model %s, not %s", q.N, q.Model, definition.Model)
		}
	}
	if ran, err := os.ReadFile(filepath.Join(work, "ran")); err != nil || string(ran) != "hi\n" {
		t.Errorf("the command did not run: it left %q, %v", ran, err)
	}
}

// explain logs the model's requests if the test failed.
func explain(t *testing.T, model *fakemodel.Server) {
	t.Helper()
	if !t.Failed() {
		return
	}
	for _, q := range model.Requests() {
		prompt := q.Prompt[:min(len(q.Prompt), 1000)]
		t.Logf("request %d: model %s, %d messages, status %d, sent %q, rejected %q, suspect %q, prompt %q",
			q.N, q.Model, q.Messages, q.Status, q.Sent, q.Rejected, q.Suspect, prompt)
	}
}

// toolsOffered returns the names of the tools in all requests, in any format.
func toolsOffered(t *testing.T, requests []fakemodel.Request) []string {
	t.Helper()
	var names []string
	for _, q := range requests {
		var body struct {
			Tools []any `json:"tools"`
		}
		if err := json.NewDecoder(bytes.NewReader(q.Raw)).Decode(&body); err != nil {
			t.Fatalf("request %d: %v", q.N, err)
		}
		names = append(names, namesIn(body.Tools)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// namesIn collects the names of tools but not those of their parameters.
func namesIn(value any) []string {
	var names []string
	switch value := value.(type) {
	case []any:
		for _, each := range value {
			names = append(names, namesIn(each)...)
		}
	case map[string]any:
		if name, ok := value["name"].(string); ok {
			names = append(names, name)
		}
		names = append(names, namesIn(value["function"])...)
		names = append(names, namesIn(value["functionDeclarations"])...)
	}
	return names
}
