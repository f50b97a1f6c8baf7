//go:build unix

package main

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestServe_SIGHUP_KeepsServing(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	server := w.daemon(nil)
	session, turn := server.prompts("[slow 100000 5ms]")
	server.until(session, "text_delta")
	if err := server.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); !strings.Contains(server.stderrText(), "SIGHUP ignored"); {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("the log does not have it: %s", server.stderrText())
		}
	}
	if status := server.request("GET", "/readyz", nil, nil); status != 200 {
		t.Errorf("/readyz: %d", status)
	}
	if status := server.request("POST", "/v1/turns/"+string(turn)+"/stop", struct{}{}, nil); status != 200 {
		t.Errorf("stop: %d", status)
	}
}
