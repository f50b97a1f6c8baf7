//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestServe_TurnAndViewerLimits_RejectExcessRequests(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	file := filepath.Join(w.dir, "config.toml")
	if err := os.WriteFile(file, []byte("[serve]\nmax_turns = 1\nmax_viewers = 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := w.daemon(nil, "--config", file)
	session, turn := s.prompts("[hang]")
	if status := s.request("POST", "/v1/sessions/"+string(session)+"/turns", map[string]string{"text": "hello"}, nil); status != 503 {
		t.Errorf("a second turn: %d", status)
	}
	if status := s.request("GET", "/v1/sessions/"+string(session)+"/events", nil, nil); status != 503 {
		t.Errorf("a viewer: %d", status)
	}
	if status := s.request("GET", "/v1/turns/"+string(turn), nil, nil); status != 200 {
		t.Errorf("the turn: %d", status)
	}
	if status := s.request("POST", "/v1/turns/"+string(turn)+"/stop", nil, nil); status != 200 {
		t.Errorf("its stop: %d", status)
	}
	if strings.Contains(s.stderrText(), `"level":"ERROR"`) {
		t.Error(s.stderrText())
	}
}
