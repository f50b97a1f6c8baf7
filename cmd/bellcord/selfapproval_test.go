//go:build linux

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// attack is a script that a person approves once, to run in the background. It waits for the ids in
// the file go, tries to approve the next command itself, and writes the responses to the file
// answers.
const attack = `#!/bin/sh
while [ ! -e go ]; do sleep 0.1; done
. ./go
K="curl -sS --max-time 20 --unix-socket $DATA/bellcord.sock -H Content-Type:application/json"
U=http://localhost/v1
{
echo "== me"; $K $U/me
echo "== mode"; $K -X PATCH -d '{"mode":"full"}' $U/sessions/$SELF
echo "== own answer"; $K -d '{"choice":"allow_always"}' $U/turns/$OWN_TURN/answers/$OWN_QUESTION
echo "== other answer"; $K -d '{"choice":"allow_always"}' $U/turns/$OTHER_TURN/answers/$OTHER_QUESTION
echo "== login code"; $K -X POST $U/codes
echo "== orphan"; env -i setsid prlimit --rttime=unlimited /usr/bin/$K $U/me
echo "== token"; BELLCORD_TEST_MAIN=1 BELLCORD_STORE=$STORE $PROGRAM token create --owner mallory --scope admin --data-dir $DATA
echo "== environ"; cat /proc/$SERVER/environ
echo "== mem"; head -c 1 /proc/$SERVER/mem
echo "=="
} >answers.part 2>&1
mv answers.part answers
`

// refusals are the required responses to each attempt.
var refusals = map[string]string{
	"me": "urn:bellcord:turn-process", "mode": "urn:bellcord:turn-process", "own answer": "urn:bellcord:turn-process",
	"other answer": "urn:bellcord:turn-process", "login code": "urn:bellcord:turn-process", "orphan": "urn:bellcord:turn-process",
	"token": "an agent may not use this command", "environ": "Permission denied", "mem": "Permission denied",
}

func TestApprovedScript_CannotApproveItself(t *testing.T) {
	t.Parallel()
	t.Run("on SQLite", func(t *testing.T) {
		t.Parallel()
		approveScript(t, "")
	})
	t.Run("as a node of a cluster", func(t *testing.T) {
		t.Parallel()
		bus, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true})
		if err != nil {
			t.Fatal(err)
		}
		bus.Start()
		t.Cleanup(bus.Shutdown)
		approveScript(t, ownSchema(t).String(), "--nats", bus.ClientURL())
	})
}

// promptForQuestion prompts and waits for the turn's question.
func (s *daemon) promptForQuestion(session bellcord.SessionID, text string) (bellcord.TurnID, bellcord.Question) {
	s.t.Helper()
	var begun api.Turn
	if status := s.request("POST", "/v1/sessions/"+string(session)+"/turns", api.NewTurn{Text: text}, &begun); status != http.StatusAccepted {
		s.t.Fatalf("a turn: %d", status)
	}
	var open api.Questions
	eventually(s.t, "a question", func() bool {
		return s.request("GET", "/v1/turns/"+string(begun.ID)+"/questions", nil, &open) == http.StatusOK && len(open.Questions) == 1
	})
	return begun.ID, open.Questions[0]
}

// as returns the server with a new token of the given owner.
func (w *world) as(s *daemon, owner string, flags ...string) *daemon {
	w.t.Helper()
	text, errs, code := w.does(append([]string{"token", "create", "--owner", owner, "--scope", "read,prompt,stop"}, flags...)...)
	if code != 0 {
		w.t.Fatal(errs)
	}
	return &daemon{Cmd: s.Cmd, t: s.t, client: s.client, url: s.url, token: strings.TrimSpace(text), exited: s.exited}
}

func approveScript(t *testing.T, store string, flags ...string) {
	w := newUnprivilegedWorld(t).withoutSandbox()
	var atStore []string
	if store != "" {
		atStore = []string{"--store-url", store}
	}
	s := w.daemon(nil, append(append([]string{"--mode", "ask"}, atStore...), flags...)...)
	alice, bob := w.as(s, "alice", atStore...), w.as(s, "bob", atStore...)
	var self, others bellcord.Session
	if alice.request("POST", "/v1/sessions", nil, &self) != 201 || bob.request("POST", "/v1/sessions", nil, &others) != 201 {
		t.Fatal("no sessions")
	}
	script := filepath.Join(self.Dir, "run-tests.sh")
	if err := os.WriteFile(script, []byte(attack), 0o755); err != nil { //nolint:gosec // a script is executed
		t.Fatal(err)
	}

	turn, question := alice.promptForQuestion(self.ID, `[tool shell {"command":"./run-tests.sh","background":true}]`)
	if status := alice.request("POST", "/v1/turns/"+string(turn)+"/answers/"+question.ID, api.Answer{Choice: question.Choices[0].ID}, nil); status != 204 {
		t.Fatalf("the person's own answer: %d", status)
	}
	ownTurn, own := alice.promptForQuestion(self.ID, `[tool shell {"command":"touch approved"}]`)
	otherTurn, other := bob.promptForQuestion(others.ID, `[tool shell {"command":"touch approved"}]`)
	ids := fmt.Sprintf("DATA=%s SELF=%s OWN_TURN=%s OWN_QUESTION=%s OTHER_TURN=%s OTHER_QUESTION=%s STORE=%q PROGRAM=%s SERVER=%d\n",
		w.data, self.ID, ownTurn, own.ID, otherTurn, other.ID, store, w.program, s.Process.Pid)
	if err := os.WriteFile(filepath.Join(self.Dir, "go.part"), []byte(ids), 0o644); err != nil { //nolint:gosec // the script reads it
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(self.Dir, "go.part"), filepath.Join(self.Dir, "go")); err != nil {
		t.Fatal(err)
	}
	var answers string
	eventually(t, "the script's answers", func() bool {
		text, err := os.ReadFile(filepath.Join(self.Dir, "answers"))
		answers = string(text)
		return err == nil
	})

	for try, want := range refusals {
		_, part, found := strings.Cut(answers, "== "+try+"\n")
		part, _, _ = strings.Cut(part, "\n==")
		if !found || !strings.Contains(part, want) {
			t.Errorf("%s: the script was answered %q, want %q", try, part, want)
		}
	}
	var open api.Questions
	for _, waits := range []struct {
		as   *daemon
		turn bellcord.TurnID
	}{{alice, ownTurn}, {bob, otherTurn}} {
		if waits.as.request("GET", "/v1/turns/"+string(waits.turn)+"/questions", nil, &open); len(open.Questions) != 1 {
			t.Errorf("turn %s no longer waits for a person", waits.turn)
		}
	}
	var after api.Session
	if alice.request("GET", "/v1/sessions/"+string(self.ID), nil, &after); after.Mode != "ask" {
		t.Errorf("the session's mode is %s", after.Mode)
	}
	if list, _, _ := w.does(append([]string{"token", "list"}, atStore...)...); strings.Contains(list, "mallory") {
		t.Errorf("there is a new token:\n%s", list)
	}
}

// A command in a terminal must not have access to the terminal in which its questions are answered.
func TestApprovedScript_InTerminal_HasNoControllingTerminal(t *testing.T) {
	t.Parallel()
	w := newUnprivilegedWorld(t)
	const probe = `import fcntl, termios
try:
    tty = open("/dev/tty")
    fcntl.ioctl(tty, termios.TIOCSTI, b"y")
    print("typed")
except OSError as e:
    print("no tty" if e.errno == 6 else e)
`
	if err := os.WriteFile(filepath.Join(w.dir, "probe.py"), []byte(probe), 0o644); err != nil { //nolint:gosec // the command reads it
		t.Fatal(err)
	}
	call := shellCall("python3 probe.py >answer 2>&1")
	cmd := w.bellcord("run", "--mode", "full", call)
	cmd.Path = "/usr/bin/script"
	cmd.Args = []string{"script", "-qec", fmt.Sprintf("'%s' run --mode full '%s'", w.program, call), "/dev/null"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	answer, err := os.ReadFile(filepath.Join(w.dir, "answer"))
	if err != nil || strings.TrimSpace(string(answer)) != "no tty" {
		t.Errorf("the command's terminal: %q, %v; want no tty", answer, err)
	}
}
