package upgrade_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/upgrade"
)

func TestOffers_Version2NeedsItsInfo(t *testing.T) {
	t.Parallel()
	for params, want := range map[string]bool{
		`{"protocolVersion":2,"info":{"name":"zed","version":"1"}}`:                               true,
		`{"protocolVersion":3,"info":{"name":"zed","version":"1"},"clientInfo":{"name":"zed"}}`:   true,
		`{"protocolVersion":1,"info":{"name":"zed","version":"1"}}`:                               false,
		`{"protocolVersion":2,"clientInfo":{"name":"zed","version":"1"},"clientCapabilities":{}}`: false,
		`{}`: false, `null`: false, ``: false,
	} {
		if got := upgrade.Offers(json.RawMessage(params)); got != want {
			t.Errorf("%s: %t", params, got)
		}
	}
}

func TestInitializeParams_Version2_BecomeThoseOfVersion1(t *testing.T) {
	t.Parallel()
	got := string(upgrade.InitializeParams(json.RawMessage(`{"protocolVersion":2,"info":{"name":"zed","version":"1"},"_meta":{"a":1},
		"capabilities":{"auth":{"terminal":{}},"elicitation":{"form":{}},"_meta":{"b":2}}}`)))
	want := `{"_meta":{"a":1},"clientCapabilities":{"_meta":{"b":2,"terminal_output":true},"auth":{"terminal":true},"elicitation":{"form":{}},` +
		`"session":{"notices":{},"compaction":{},"configOptions":{"boolean":{}}}},"clientInfo":{"name":"zed","version":"1"},"protocolVersion":1}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOpenParams_Version2_BecomeThoseOfVersion1(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		params, want string
		replay       bool
	}{
		{`{"cwd":"/a"}`, `{"cwd":"/a","mcpServers":[]}`, false},
		{`{"cwd":"/a","mcpServers":null,"replayFrom":null}`, `{"cwd":"/a","mcpServers":[]}`, false},
		{`{"replayFrom":{"type":"start"}}`, `{"mcpServers":[]}`, true},
		{`{"mcpServers":[{"type":"stdio","name":"n","command":"/c"}]}`, `{"mcpServers":[{"args":[],"command":"/c","env":[],"name":"n"}]}`, false},
		{`{"mcpServers":[{"type":"http","name":"n","url":"u"}]}`, `{"mcpServers":[{"headers":[],"name":"n","type":"http","url":"u"}]}`, false},
		{`{"mcpServers":[{"type":"sse","name":"n","url":"u"}]}`, "error", false},
		{`{"mcpServers":[{"name":"n","command":"/c"}]}`, "error", false},
		{`{"mcpServers":[{"type":"stdio","name":"n"},{"type":"http","name":"n"}]}`, "error", false},
		{`{"replayFrom":{"type":"message"}}`, "error", false},
		{`{"replayFrom":5}`, "error", false},
	} {
		got, replay, err := upgrade.OpenParams(json.RawMessage(test.params))
		if err != nil {
			got = json.RawMessage("error")
		}
		if string(got) != test.want || replay != test.replay {
			t.Errorf("%s: got %s, %t, %v", test.params, got, replay, err)
		}
	}
}

func TestSettings_Version1_BecomeThoseOfVersion2(t *testing.T) {
	t.Parallel()
	options, _ := json.Marshal(upgrade.Options(json.RawMessage(`[{"id":"m","type":"select","options":[{"group":"g","options":[{"value":"v"}]}]},{"id":"b","type":"boolean"},{"id":"e","type":"select","currentValue":"v","options":[]}]`)))
	if want := `[{"configId":"m","options":[{"groupId":"g","options":[{"value":"v"}]}],"type":"select"},{"configId":"b","type":"boolean"},{"configId":"e","currentValue":"v","options":[{"name":"v","value":"v"}],"type":"select"}]`; string(options) != want {
		t.Errorf("options %s", options)
	}
	commands, _ := json.Marshal(upgrade.Commands(json.RawMessage(`[{"name":"a","description":"d"},{"name":"b","input":{"hint":"h"}}]`)))
	if want := `[{"description":"d","name":"a","type":"command"},{"input":{"hint":"h","type":"text"},"name":"b","type":"command"}]`; string(commands) != want {
		t.Errorf("commands %s", commands)
	}
}

func TestToolCall_HostedAgentsContent_IsKept(t *testing.T) {
	t.Parallel()
	block := acp.RawContent(json.RawMessage(`{"type":"content","content":{"type":"audio","data":"","mimeType":"a/b"},"_meta":{"a":1}}`))
	got, _ := json.Marshal(upgrade.ToolCall(acp.ToolCallUpdate{ToolCallID: "c", Content: []acp.ToolCallContent{block}}))
	if want := `{"toolCallId":"c","content":[{"type":"content","content":{"type":"audio","data":"","mimeType":"a/b"},"_meta":{"a":1}}]}`; string(got) != want {
		t.Errorf("got %s", got)
	}
}

// A patch must turn the old text into the new one. The judge is git.
func TestPatch_GitApplies_GivesTheNewText(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	long := strings.Repeat("line\n", 20)
	for name, test := range map[string]struct {
		before *string
		after  string
	}{
		"a new file":                 {nil, "one\ntwo\n"},
		"a new file without a break": {nil, "one"},
		"a line in the middle":       {new(long + "old\n" + long), long + "new\nnewer\n" + long},
		"the first line":             {new("old\n" + long), "new\n" + long},
		"the last line":              {new(long + "old"), long + "new"},
		"a line less":                {new(long + "old\n"), long},
		"all lines":                  {new("one\ntwo\n"), ""},
		"a break at the end":         {new("one"), "one\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "a b.txt")
			if test.before != nil {
				if err := os.WriteFile(path, []byte(*test.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			// git accepts only paths below its directory.
			patch := strings.ReplaceAll(upgrade.Patch(path, test.before, test.after), path, "a b.txt")
			cmd := exec.Command("git", "apply", "-p0", "-")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader(patch)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s\n%s", err, out, patch)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != test.after {
				t.Errorf("got %q, %v\n%s", got, err, patch)
			}
		})
	}
}

func TestPatch_UnusualPath_IsQuoted(t *testing.T) {
	t.Parallel()
	if got := upgrade.Patch("/ü\"\n", nil, "x\n"); !strings.Contains(got, `+++ "/\303\274\"\n"`) {
		t.Errorf("got %s", got)
	}
}
