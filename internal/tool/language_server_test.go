package tool_test

import (
	"log/slog"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/internal/tool/lsp"
	"github.com/bellcord/bellcord/proc"
)

// languageServer is a language server that finds an error in every line with the word
// "wrong".
const languageServer = `
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
        d = m["params"]["textDocument"]
        text = d.get("text") or m["params"]["contentChanges"][0]["text"]
        send({"method": "textDocument/publishDiagnostics", "params": {"uri": d["uri"], "version": d["version"], "diagnostics": [
            {"severity": 1, "message": "a wrong word", "range": {"start": {"line": i, "character": 0}, "end": {"line": i, "character": 1}}}
            for i, line in enumerate(text.split("\n")) if "wrong" in line]}})
`

func TestEdit_LanguageServerFindsNewError_IsReportedAndEditStays(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	keeper, err := proc.Open(t.TempDir(), proc.Options{AdoptOrphans: true})
	if err != nil {
		t.Fatal(err)
	}
	servers := lsp.Open([]lsp.Server{{Name: "words", Command: []string{"python3", "-c", languageServer}, Files: []string{"*.txt", "*.go"}}},
		lsp.Options{Logger: slog.New(slog.DiscardHandler), Start: func(c proc.Command) (*proc.Running, *bellcord.Sandbox, error) {
			running, err := keeper.Start(c)
			return running, nil, err
		}})
	t.Cleanup(func() { servers.Close(); _ = keeper.Close() })
	tools := tool.Builtin(keeper, &tool.SessionResources{Servers: servers})
	tool.LimitChecks(tools, time.Minute)
	dir := lay(t, files{"docs/a.txt": "one\nwrong\nthree\n", "a.go": "package a\n"})
	c := calls{t, tools, bellcord.Session{ID: "s", Dir: dir}}
	got := c.run("edit_file", fields{"path": "docs/a.txt", "old": "three", "new": "wrong again"})
	if !strings.Contains(got, "[the change causes new errors:]\ndocs/a.txt:3: a wrong word\n") || strings.Contains(got, "a.txt:2") {
		t.Errorf("an edit: %s", got)
	}
	if content(t, dir, "docs/a.txt") != "one\nwrong\nwrong again\n" {
		t.Errorf("the file is %q", content(t, dir, "docs/a.txt"))
	}
	got = c.run("edit_file", fields{"path": "a.go", "old": "package a", "new": "package wrong ("})
	if !strings.Contains(got, "new syntax errors") || strings.Contains(got, "a wrong word") {
		t.Errorf("a file with a syntax error is not checked further: %s", got)
	}
	got = c.run("write_file", fields{"path": "b.txt", "content": "fine\n"})
	if strings.Contains(got, "errors") {
		t.Errorf("a file without errors: %s", got)
	}
}
