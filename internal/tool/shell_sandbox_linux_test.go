package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/confine"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/internal/sandbox/netproxy"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/proc"
)

// confinedShell returns the tool shell in the sandbox of this machine.
func confinedShell(t *testing.T) tool.Tool {
	t.Helper()
	return shellWith(t, &confine.Policy{Network: sandbox.Off})
}

func shellWith(t *testing.T, policy *confine.Policy) tool.Tool {
	t.Helper()
	keeper, err := proc.Open("", proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keeper.Close() })
	box, err := sandbox.Open(t.Context(), sandbox.Require, sandbox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(box.Close)
	policy.Keeper, policy.Open = keeper, func() (*sandbox.Box, error) { return box, nil }
	return tool.Shell(keeper, &tool.SessionResources{Dir: t.TempDir(), Confine: policy})
}

// homeDir returns a new directory below the home directory, which commands in the
// sandbox see, other than those in /tmp.
func homeDir(t *testing.T) string {
	t.Helper()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(home, ".bellcord-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func arguments(t *testing.T, values map[string]any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestShell_CommandFailedInTheSandbox_RunsWithoutItOnlyAfterAnApproval(t *testing.T) {
	t.Parallel()
	shell, dir, outside := confinedShell(t), t.TempDir(), filepath.Join(homeDir(t), "written")
	command := "echo x > " + outside
	call := tool.Call{Session: "s", Dir: dir, Output: func(string) {}}
	without := arguments(t, map[string]any{"command": command, "without_sandbox": true})

	call.Args = without
	if err := shell.Refuse(t.Context(), call); err == nil {
		t.Error("a command that was not tried in the sandbox is not refused")
	}
	call.Args = arguments(t, map[string]any{"command": command})
	result := shell.Run(t.Context(), call)
	if !result.Failed || !strings.Contains(result.Text, "without_sandbox") || result.Sandbox == nil || result.Sandbox.Level != bellcord.SandboxNamespaces {
		t.Fatalf("in the sandbox: %+v, %+v", result, result.Sandbox)
	}
	if _, err := os.Stat(outside); err == nil {
		t.Fatal("the command wrote outside of the sandbox")
	}
	call.Args = without
	if err := shell.Refuse(t.Context(), call); err != nil {
		t.Errorf("after the failure: %v", err)
	}
	if asked := shell.Permission(dir, without); asked.EachTime == "" {
		t.Errorf("a person need not approve it: %+v", asked)
	}
	if q := shell.Question(without); !strings.Contains(q, "without the sandbox") {
		t.Errorf("the question is %q", q)
	}
	if result := shell.Run(t.Context(), call); result.Failed || result.Sandbox.Level != bellcord.SandboxNone {
		t.Errorf("without the sandbox: %+v", result)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

func TestShell_SandboxIsRequired_NoCommandLeavesIt(t *testing.T) {
	t.Parallel()
	shell := shellWith(t, &confine.Policy{Network: sandbox.Off, Required: true})
	if text := shell.Description + string(shell.Schema); strings.Contains(text, "without_sandbox") || !json.Valid(shell.Schema) {
		t.Errorf("the model is told: %s", text)
	}
	dir, outside := t.TempDir(), filepath.Join(homeDir(t), "written")
	command := "echo x > " + outside
	call := tool.Call{Session: "s", Dir: dir, Output: func(string) {}, Args: arguments(t, map[string]any{"command": command})}
	if r := shell.Run(t.Context(), call); !r.Failed || strings.Contains(r.Text, "without_sandbox") || !strings.Contains(r.Text, "sandbox.write") {
		t.Errorf("in the sandbox: %q", r.Text)
	}
	for _, background := range []bool{false, true} {
		call.Args = arguments(t, map[string]any{"command": command, "without_sandbox": true, "background": background})
		if err := shell.Check(call.Args); err == nil || !strings.Contains(err.Error(), "require") {
			t.Errorf("checked: %v", err)
		}
		if r := shell.Run(t.Context(), call); !r.Failed || !strings.Contains(r.Text, "require") {
			t.Errorf("without the sandbox: %+v", r)
		}
	}
	if _, err := os.Stat(outside); err == nil {
		t.Error("the command wrote outside of the sandbox")
	}
}

func TestShell_BackgroundWidensTheNetwork_NoRuleAllowsIt(t *testing.T) {
	t.Parallel()
	rules, err := permit.NewPolicy([]string{"shell(make *)"}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for network, want := range map[sandbox.Network]permit.Verdict{sandbox.Proxy: permit.Put, sandbox.Off: permit.Allow, sandbox.On: permit.Allow} {
		shell := shellWith(t, &confine.Policy{Network: network})
		for background, want := range map[bool]permit.Verdict{false: permit.Allow, true: want} {
			args := arguments(t, map[string]any{"command": "make test", "background": background})
			if d := rules.Decide(permit.Session{}, permit.Ask, shell.Permission("/x", args)); d.Verdict != want {
				t.Errorf("network %s, background %t: %+v", network, background, d)
			}
		}
	}
}

func TestShell_CommandFloodsWithHosts_ResultSaysThatOthersWereRefused(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("needs curl")
	}
	shell := shellWith(t, &confine.Policy{Network: sandbox.Proxy})
	for hosts, floods := range map[int]bool{netproxy.MostRefused: false, netproxy.MostRefused + 1: true} {
		who := &asker{}
		command := fmt.Sprintf("i=0; while [ $i -lt %d ]; do curl -s -o /dev/null http://h$i.example/; i=$((i+1)); done", hosts)
		r := shell.Run(t.Context(), tool.Call{
			Session: "s", Dir: t.TempDir(), Output: func(string) {}, Asker: who, Args: arguments(t, map[string]any{"command": command}),
		})
		if len(who.hosts) != netproxy.MostRefused || strings.Contains(r.Text, "refused without a question") != floods {
			t.Errorf("%d hosts: asked about %d; %s", hosts, len(who.hosts), r.Text)
		}
	}
}

func TestShell_InTheEditorsTerminal_QuestionSaysThatItHasNoSandbox(t *testing.T) {
	t.Parallel()
	editor := tool.EditorTools{Run: func(context.Context, tool.EditorCommand) (tool.EditorExit, error) { return tool.EditorExit{}, nil }}
	shell := editor.Tools([]tool.Tool{confinedShell(t)})[0]
	for background, want := range map[bool]string{false: "has no sandbox", true: "Sandbox (namespaces)"} {
		args := arguments(t, map[string]any{"command": "true", "background": background})
		if got := shell.Confined(tool.Call{Session: "s", Dir: t.TempDir(), Args: args}); !strings.Contains(got, want) {
			t.Errorf("background %t: %q", background, got)
		}
	}
}

func TestShell_LongCommand_QuestionBeginsWithHowItRuns(t *testing.T) {
	t.Parallel()
	args := arguments(t, map[string]any{"command": "make", "without_sandbox": true, "background": true, "workdir": "sub"})
	if q := confinedShell(t).Question(args); q != "Run without the sandbox in the background in sub: `make`?" {
		t.Errorf("%q", q)
	}
}

func TestShell_SandboxIsConfigured_QuestionNamesLevelAndNetwork(t *testing.T) {
	t.Parallel()
	shell := confinedShell(t)
	args := arguments(t, map[string]any{"command": "true"})
	sentence := shell.Confined(tool.Call{Session: "s", Dir: t.TempDir(), Args: args, Mode: permit.Ask})
	if !strings.Contains(sentence, "namespaces") || !strings.Contains(sentence, "no network") {
		t.Errorf("%q", sentence)
	}
	if asked := shell.Permission(t.TempDir(), args); asked.EachTime != "" {
		t.Errorf("a command in the sandbox must be approved each time: %q", asked.EachTime)
	}
}

func TestShell_NoSandboxIsConfigured_HasNoArgumentForIt(t *testing.T) {
	t.Parallel()
	plain := tool.Shell(nil, &tool.SessionResources{})
	if strings.Contains(string(plain.Schema), "without_sandbox") || strings.Contains(plain.Description, "sandbox") || plain.Confined != nil {
		t.Errorf("%s %s", plain.Description, plain.Schema)
	}
	if schema := confinedShell(t).Schema; !json.Valid(schema) || !strings.Contains(string(schema), "without_sandbox") {
		t.Errorf("in the sandbox: %s", schema)
	}
}

func TestShell_StoppedInTheSandbox_ProofIsThePIDNamespace(t *testing.T) {
	t.Parallel()
	shell := confinedShell(t)
	ctx, stop := context.WithCancel(t.Context())
	ready := func(s string) {
		if strings.Contains(s, "ready") {
			stop()
		}
	}
	result := shell.Run(ctx, tool.Call{
		Session: "s", Dir: t.TempDir(), Output: ready,
		Args: arguments(t, map[string]any{"command": "(setsid sleep 1000 &); trap '' TERM; echo ready; while :; do sleep 1000; done"}),
	})
	if result.Fate != bellcord.CallStopped || result.Processes == nil || result.Processes.Proof != "pid_namespace" || len(result.Processes.Survivors) != 0 {
		t.Errorf("%+v, %+v", result, result.Processes)
	}
}

func TestShell_RootInADirectoryOfAnotherUser_HintNamesTheOwner(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can give a directory away")
	}
	shell, dir := confinedShell(t), homeDir(t)
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	run := func(command string) tool.Result {
		return shell.Run(t.Context(), tool.Call{Session: "s", Dir: dir, Output: func(string) {}, Args: arguments(t, map[string]any{"command": command})})
	}
	if r := run("chmod 755 . 2>&1; echo x > file"); !r.Failed || !strings.Contains(r.Text, "belongs to another user") {
		t.Errorf("%+v", r)
	}
	if r := run("true"); strings.Contains(r.Text, "belongs") {
		t.Errorf("a command that works: %+v", r)
	}
}
