//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/api"
)

// ran runs a shell command in a turn of the server, in mode full, and returns its output.
func (s *daemon) ran(command string) string {
	s.t.Helper()
	out := filepath.Join(s.t.TempDir(), "out")
	_, turn := s.prompts(shellCall("{ " + command + "; } >" + out + " 2>&1"))
	var ended api.Turn
	if status := s.request("GET", "/v1/turns/"+string(turn)+"?wait=30s", nil, &ended); status != 200 || ended.Receipt == nil {
		s.t.Fatalf("the turn is %s (%d): %s", ended.State, status, s.stderrText())
	}
	text, err := os.ReadFile(out)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// shellCall returns a prompt that makes the fake model call the shell tool once.
func shellCall(command string) string {
	return `[tool shell {"command":"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(command) + `"}]`
}

func TestSocket_CommandOfTurn_IsRejected(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t).withoutSandbox()
	s := w.daemon(nil)
	socket := filepath.Join(w.data, "bellcord.sock")
	curl := "curl -sS --unix-socket " + socket + " "
	for name, command := range map[string]string{
		"reading":         curl + "http://localhost/v1/me",
		"health":          curl + "http://localhost/healthz",
		"profiles":        curl + "http://localhost/debug/pprof/cmdline",
		"with a token":    curl + "-H 'Authorization: Bearer " + s.token + "' http://localhost/v1/me",
		"without signs":   "env -i setsid prlimit --rttime=unlimited /usr/bin/" + curl + "http://localhost/v1/me",
		"through its CLI": "BELLCORD_TEST_MAIN=1 " + os.Args[0] + " ps --data-dir " + w.data,
	} {
		t.Run(name, func(t *testing.T) {
			if text := s.ran(command); !strings.Contains(text, "started by ") || !strings.Contains(text, "no agent started") {
				t.Errorf("the command was answered: %s", text)
			}
		})
	}
	if out, errs, code := w.does("ps"); code != 0 {
		t.Errorf("a person's ps: %d %s%s", code, out, errs)
	}
}

// Commands of bellcord run can reach the socket of a server on the same data directory.
func TestSocket_CommandOfTurnInOtherProcess_IsRejected(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t).withoutSandbox()
	w.daemon(nil)
	out := filepath.Join(t.TempDir(), "out")
	call := shellCall("env -i setsid prlimit --rttime=unlimited /usr/bin/curl -sS --unix-socket " + w.data + "/bellcord.sock http://localhost/v1/me >" + out)
	if stdout, errs, code := w.does("run", "--mode", "full", call); code != 0 {
		t.Fatalf("%d %s%s", code, stdout, errs)
	}
	text, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(text), "urn:bellcord:turn-process") {
		t.Errorf("the command was answered: %s, %v", text, err)
	}
}

func TestTokenCreate_InsideTurn_IsRejected(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t).withoutSandbox()
	s := w.daemon(nil)
	text := s.ran("BELLCORD_TEST_MAIN=1 " + os.Args[0] + " token create --owner mallory --scope admin --data-dir " + w.data)
	if !strings.Contains(text, "an agent may not use this command") {
		t.Errorf("token create printed %q", text)
	}
	if out, errs, code := w.does("token", "list"); code != 0 || strings.Contains(out, "mallory") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}
