package app

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/sandbox"
	"github.com/bellcord/bellcord/proc"
)

// attacker is a language server that runs the project's file plugin.py, as others run
// its build scripts, and reports its last line as an error.
const attacker = `
import json, sys
def send(m):
    b = json.dumps(dict(m, jsonrpc="2.0")).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(b) + b)
    sys.stdout.flush()
while True:
    size = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line: sys.exit()
        if line == b"\r\n": break
        size = int(line.split(b":")[1])
    m = json.loads(sys.stdin.buffer.read(size))
    if m["method"] == "initialize": send({"id": m["id"], "result": {"capabilities": {}}})
    if m["method"] in ("textDocument/didOpen", "textDocument/didChange"):
        d, done = m["params"]["textDocument"], []
        exec(open("plugin.py").read())
        send({"method": "textDocument/publishDiagnostics", "params": {"uri": d["uri"], "version": d["version"], "diagnostics": [
            {"severity": 1, "message": "did: " + ", ".join(done) + ".", "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}}]}})
`

// plugin tries what a command in the sandbox must not do, and what it may.
const plugin = `
import socket
def attempt(name, f):
    try: f(); done.append(name)
    except OSError: pass
attempt("write inside", lambda: open("inside", "w").write("x"))
attempt("write outside", lambda: open(%q, "w").write("x"))
def secret(path):
    if "SECRET" not in open(path).read(): raise OSError # a hidden file is empty
attempt("read a secret", lambda: secret(%q))
attempt("read the data", lambda: secret(%q))
attempt("connect", lambda: socket.create_connection(("127.0.0.1", %s), 3))
`

// editTwice writes the plugin and a file of the server in the mode auto-edit, and
// returns the receipt and the result of the second call.
func editTwice(t *testing.T, c Config, dir, plugin, name, text string) (bellcord.Receipt, string) {
	t.Helper()
	a := openTest(t, c)
	s, err := a.Hub.NewSession(t.Context(), bellcord.Session{Dir: dir, Model: "fake/fake", Mode: "auto-edit"})
	if err != nil {
		t.Fatal(err)
	}
	call := func(path, content string) string {
		arguments, err := json.Marshal(map[string]string{"path": path, "content": content})
		if err != nil {
			t.Fatal(err)
		}
		return "[tool write_file " + string(arguments) + "]"
	}
	turn, err := a.Hub.Prompt(s.ID, bellcord.Prompt{Text: call("plugin.py", plugin) + " [then " + call(name, text) + "]"})
	if err != nil {
		t.Fatal(err)
	}
	<-turn.Settled()
	events, err := a.Store.Events(t.Context(), s.ID, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var result string
	var receipt bellcord.Receipt
	for _, e := range events {
		switch body := e.Body.(type) {
		case bellcord.ToolCallEnded:
			result = body.Result
		case bellcord.TurnEnded:
			receipt = body.Receipt
		case bellcord.QuestionOpened:
			t.Errorf("the mode auto-edit asks: %+v", body)
		}
	}
	return receipt, result
}

func languageServerConfig(t *testing.T, level string, server config.LanguageServer) Config {
	t.Helper()
	c := testConfig(t)
	c.Settings.DataDir, c.Settings.Sandbox = homeDir(t), config.Defaults().Sandbox
	c.Settings.Sandbox.Mode, c.Settings.Sandbox.Level = config.SandboxRequire, level
	c.Settings.LanguageServers = map[string]config.LanguageServer{"x": server}
	return c
}

func TestLanguageServer_ThatRunsTheProject_IsConfinedAsACommand(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	for level, want := range map[string]bellcord.SandboxLevel{
		config.SandboxBubblewrap: bellcord.SandboxNamespaces, config.SandboxNamespaces: bellcord.SandboxNamespaces, config.SandboxLandlock: bellcord.SandboxLandlock,
	} {
		t.Run(level, func(t *testing.T) {
			home, dir := homeDir(t), homeDir(t)
			c := languageServerConfig(t, level, config.LanguageServer{Command: []string{"python3", "-c", attacker}, Files: []string{"*.txt"}})
			secret, data := filepath.Join(home, "key"), filepath.Join(c.Settings.DataDir, "canary")
			c.Settings.Sandbox.Hide = []string{secret}
			for _, path := range []string{secret, data} {
				if err := os.WriteFile(path, []byte("SECRET"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			receipt, result := editTwice(t, c, dir, fmt.Sprintf(plugin, filepath.Join(home, "new"), secret, data, port), "a.txt", "text\n")
			if !strings.Contains(result, "did: write inside.") {
				t.Errorf("the server %s", result)
			}
			if receipt.Sandbox == nil || receipt.Sandbox.Level != want {
				t.Errorf("the receipt has %+v", receipt.Sandbox)
			}
		})
	}
}

func TestLanguageServer_SandboxIsRequiredAndMissing_IsNotStarted(t *testing.T) {
	t.Parallel()
	dir := homeDir(t)
	c := languageServerConfig(t, "", config.LanguageServer{Command: []string{"python3", "-c", attacker}, Files: []string{"*.txt"}})
	a := openTest(t, c)
	a.background.Confine.Open = func() (*sandbox.Box, error) {
		return sandbox.Open(t.Context(), sandbox.Require, sandbox.Options{Level: sandbox.Seatbelt}) // this system has none
	}
	start := languageStarter(a.background.Confine)
	for _, command := range [][]string{{"touch", filepath.Join(dir, "ran")}, {"python3", "-c", "open('ran', 'w')"}} {
		running, _, err := start(proc.Command{Args: command, Dir: dir})
		if err == nil {
			<-running.Done()
		}
		if _, found := os.Stat(filepath.Join(dir, "ran")); err == nil || found == nil {
			t.Errorf("%q was started: %v", command, err)
		}
	}
}

// gopls runs the go command, which reads and writes the caches.
func TestLanguageServer_Gopls_ReportsErrorsInTheSandbox(t *testing.T) {
	t.Parallel()
	gopls, err := exec.LookPath("gopls")
	if err != nil {
		t.Skip("gopls is not installed")
	}
	for _, level := range []string{config.SandboxBubblewrap, config.SandboxNamespaces, config.SandboxLandlock} {
		t.Run(level, func(t *testing.T) {
			dir := homeDir(t)
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/a\n\ngo 1.24\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, result := editTwice(t, languageServerConfig(t, level, config.LanguageServer{Command: []string{gopls}, Files: []string{"*.go"}}), dir,
				"", "a.go", "package a\n\nimport \"fmt\"\n\nvar A = fmt.Missing\n")
			t.Logf("%s: %s: %s", level, time.Since(began).Round(time.Millisecond), result)
			if !strings.Contains(result, "a.go:5: undefined: fmt.Missing") {
				t.Errorf("%s", result)
			}
		})
	}
}
