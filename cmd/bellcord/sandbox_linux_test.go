package main

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// breakIn is what a command of a turn tries against the server that runs it. A
// line "OPEN name" means that the attempt named name was successful.
const breakIn = `#!/bin/sh
open() { echo "OPEN $1"; }
grep -q . "$DATA/token" && open "token file"
head -c 16 "$DATA/bellcord.db" | grep -q SQLite && open database
ls "$DATA/workspaces/$OTHER" && open "another session"
grep -rq . "$CONFIG" && open configuration
curl -sS --max-time 5 --unix-socket "$DATA/bellcord.sock" http://localhost/v1/me && open socket
curl -sS --max-time 5 "$URL/v1/healthz" && open "TCP to the server"
BELLCORD_TEST_MAIN=1 "$PROGRAM" token create --owner mallory --scope admin --data-dir "$DATA" && open "token create"
grep -q . "/proc/$SERVER/environ" && open environment
head -c 1 "/proc/$SERVER/mem" && open memory
kill -0 "$SERVER" && open signal
ls "/proc/$SERVER/root/" && open "root of the server"
python3 -c 'import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(b"\0"+sys.argv[1].encode())' "$ABSTRACT" && open "abstract socket"
echo x > "$OUTSIDE/written" && open "write outside"
(setsid sh -c 'grep -q . "$DATA/token" && echo "OPEN token file, by a grandchild"'; true)
echo "[core] fsmonitor=evil" >> .git/config && open ".git/config"
echo evil > .git/hooks/pre-commit && open ".git/hooks"
mv .git .git-old && open "rename .git" && mv .git-old .git
date >> file && git add file && git -c user.name=a -c user.email=a@b commit -qm "inside" && echo COMMITTED
echo FINISHED
`

// sandboxes are the settings that are tested, with the level on the receipt and what
// is open in it.
var sandboxes = []struct {
	setting string
	level   bellcord.SandboxLevel
	open    []string
}{
	{"bubblewrap", bellcord.SandboxNamespaces, nil},
	{"namespaces", bellcord.SandboxNamespaces, nil},
	{"landlock", bellcord.SandboxLandlock, []string{".git/config", ".git/hooks", "rename .git"}},
}

func TestSandbox_CommandTriesToBreakIn_IsRefusedAtEveryLevelForEveryUser(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for user, newWorld := range map[string]func(*testing.T) *world{"root": newServerWorld, "unprivileged": newUnprivilegedWorld} {
		for _, box := range sandboxes {
			t.Run(user+" "+box.setting, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.configure(fmt.Sprintf("[sandbox]\nmode = \"require\"\nlevel = %q\nnetwork = \"off\"\n", box.setting))
				w.breakIn(box.level, box.open)
			})
		}
	}
}

// breakIn runs the script in a turn, and compares what was open with the level.
func (w *world) breakIn(level bellcord.SandboxLevel, open []string) {
	t := w.t
	t.Helper()
	abstract := listenAbstract(t)
	s := w.daemon(nil, "--mode", "full")
	other, _ := s.prompts("hello")
	var made bellcord.Session
	if status := s.request("POST", "/v1/sessions", api.NewSession{Mode: "full"}, &made); status != 201 {
		t.Fatalf("a session: %d", status)
	}
	if out, err := w.sh("git init -q " + made.Dir); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	variables := fmt.Sprintf("DATA=%s OTHER=%s CONFIG=%s URL=%s PROGRAM=%s SERVER=%d ABSTRACT=%s OUTSIDE=%s; export DATA\n",
		w.data, other, filepath.Join(w.dir, "bellcord"), s.url, cmp.Or(w.program, os.Args[0]), s.Process.Pid, abstract, w.dir)
	if err := os.WriteFile(filepath.Join(made.Dir, "script"), []byte(variables+breakIn), 0o644); err != nil { //nolint:gosec // the command reads it
		t.Fatal(err)
	}
	receipt, output := s.runs(made, "sh ./script >output 2>&1")
	for _, want := range []string{"COMMITTED", "FINISHED"} {
		if !strings.Contains(output, want) {
			t.Errorf("the script did not print %s:\n%s", want, output)
		}
	}
	found := map[string]bool{}
	for line := range strings.Lines(output) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "OPEN "); is {
			found[name] = true
		}
	}
	for _, name := range open {
		delete(found, name)
	}
	if len(found) > 0 {
		t.Errorf("open at level %s: %v\n%s", level, found, output)
	}
	named := receipt.Sandbox != nil && strings.Contains(strings.Join(receipt.Sandbox.Gaps, " "), ".git/config")
	if receipt.Sandbox == nil || receipt.Sandbox.Level != level || named != (len(open) > 0) {
		t.Errorf("the receipt has the sandbox %+v, want level %s", receipt.Sandbox, level)
	}
	if list, _, _ := w.does("token", "list"); strings.Contains(list, "mallory") {
		t.Errorf("there is a new token:\n%s", list)
	}
}

// runs runs a command in a session. It returns the turn's receipt and the contents of
// the file output.
func (s *daemon) runs(in bellcord.Session, command string) (bellcord.Receipt, string) {
	s.t.Helper()
	if status := s.request("POST", "/v1/sessions/"+string(in.ID)+"/turns", api.NewTurn{Text: shellCall(command)}, nil); status != 202 {
		s.t.Fatalf("a turn: %d", status)
	}
	s.until(in.ID, "turn_ended")
	var receipts api.Receipts
	if status := s.request("GET", "/v1/receipts?session="+string(in.ID), nil, &receipts); status != 200 || len(receipts.Receipts) == 0 {
		s.t.Fatalf("receipts: %d %+v", status, receipts)
	}
	output, err := os.ReadFile(filepath.Join(in.Dir, "output"))
	if err != nil {
		s.t.Fatalf("%v; %s", err, s.stderrText())
	}
	return receipts.Receipts[0], string(output)
}

// listenAbstract listens on an abstract socket, as many desktop services do, and
// returns its name.
func listenAbstract(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("bellcord-test-%d-%d", os.Getpid(), time.Now().UnixNano())
	l, err := net.Listen("unix", "@"+name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return name
}
