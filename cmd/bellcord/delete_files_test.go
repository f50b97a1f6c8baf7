//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

const deletedText = "seven violet herons over Bern"

// The raw files of the data directory contain nothing of a deleted session while the server is
// still running.
func TestServe_DeleteWithFiles_RemovesAllSessionData(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil)
	command := fmt.Sprintf(`printf '%%s\n' '%s' > kept.txt; yes '%s' | head -n 5000`, deletedText, deletedText)
	session, _ := s.prompts(fmt.Sprintf(`%s [tool shell {"command":%q}]`, deletedText, command))
	s.until(session, "turn_ended")
	leftover := filepath.Join(w.data, "background", string(session), "output-of-a-crash.log")
	if err := os.MkdirAll(filepath.Dir(leftover), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(leftover, []byte(deletedText), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(files(t, w.data), deletedText); n < 100 {
		t.Fatalf("only %d occurrences before", n)
	}
	if status := s.request("DELETE", "/v1/sessions/"+string(session)+"?files=true", nil, nil); status != 204 {
		t.Fatalf("status %d: %s", status, s.stderrText())
	}
	if n := strings.Count(files(t, w.data), deletedText); n != 0 {
		t.Errorf("%d occurrences after", n)
	}
	if _, err := os.Stat(filepath.Join(w.data, "workspaces", string(session))); err == nil {
		t.Error("the workspace is there")
	}
}

func TestServe_DeleteSession_RemovesOnlyItsWorkspaceAndOnlyOnRequest(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil)
	session, _ := s.prompts(`[tool shell {"command":"echo x > kept.txt"}]`)
	s.until(session, "turn_ended")
	if status := s.request("DELETE", "/v1/sessions/"+string(session), nil, nil); status != 204 {
		t.Fatalf("status %d", status)
	}
	if _, err := os.Stat(filepath.Join(w.data, "workspaces", string(session), "kept.txt")); err != nil {
		t.Error(err)
	}
	var named bellcord.Session
	if status := s.request("POST", "/v1/sessions", api.NewSession{Dir: w.dir}, &named); status != 201 {
		t.Fatalf("status %d", status)
	}
	if status := s.request("DELETE", "/v1/sessions/"+string(named.ID)+"?files=true", nil, nil); status != 204 {
		t.Fatalf("status %d", status)
	}
	if _, err := os.Stat(w.dir); err != nil {
		t.Error(err)
	}
}

func TestSessionsDelete_WithFiles_RemovesWorkspaceWithAndWithoutServer(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{true, false} {
		w := newServerWorld(t)
		s := w.daemon(nil)
		session, _ := s.prompts(deletedText + ` [tool shell {"command":"echo x > kept.txt"}]`)
		s.until(session, "turn_ended")
		if !running {
			s.terminates()
			s.ends()
		}
		if out, errs, code := w.does("sessions", "delete", "--files", string(session)); code != 0 || !strings.Contains(out, "deleted") {
			t.Fatalf("%d: %s%s", code, out, errs)
		}
		if _, err := os.Stat(filepath.Join(w.data, "workspaces", string(session))); err == nil {
			t.Errorf("server %v: the workspace is there", running)
		}
		if n := strings.Count(files(t, w.data), deletedText); n != 0 {
			t.Errorf("server %v: %d occurrences after", running, n)
		}
	}
}
