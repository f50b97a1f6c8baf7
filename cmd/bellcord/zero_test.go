//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/config"
)

func TestFlags_Zero_ReplacesValueOfFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	const text = "[limits]\nmax_steps = 7\nmax_tokens = 7\nmax_cost_usd = 7.0\ndeadline = \"7s\"\n[serve]\nshutdown_grace = \"7s\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, value := range map[string]func(config.Config) float64{
		"--max-steps=0":       func(c config.Config) float64 { return float64(c.Limits.MaxSteps) },
		"--max-tokens=0":      func(c config.Config) float64 { return float64(c.Limits.MaxTokens) },
		"--max-cost=0":        func(c config.Config) float64 { return c.Limits.MaxCostUSD },
		"--deadline=0s":       func(c config.Config) float64 { return float64(c.Limits.Deadline) },
		"--shutdown-grace=0s": func(c config.Config) float64 { return float64(c.Serve.ShutdownGrace) },
	} {
		for _, given := range []bool{true, false} {
			var f serveFlags
			cmd := &cobra.Command{}
			f.agentFlags(cmd)
			cmd.Flags().DurationVar(&f.finish, "shutdown-grace", 0, "")
			args := []string{"--config", file}
			if given {
				args = append(args, flag)
			}
			if err := cmd.ParseFlags(args); err != nil {
				t.Fatal(err)
			}
			c, err := f.config()
			if err != nil {
				t.Fatal(err)
			}
			if got := value(c); (got == 0) != given {
				t.Errorf("%s given %v: the setting is %v", flag, given, got)
			}
		}
	}
}

func TestServe_FinishZero_StopsRunningTurnImmediately(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	w.configure("[serve]\nshutdown_grace = \"1h\"\n")
	s := w.daemon(nil, "--shutdown-grace", "0s")
	var session api.Session
	if code := s.request(http.MethodPost, "/v1/sessions", map[string]any{}, &session); code != http.StatusCreated {
		t.Fatalf("session: %d", code)
	}
	var turn api.Turn
	if code := s.request(http.MethodPost, "/v1/sessions/"+string(session.ID)+"/turns", map[string]any{"text": "[slow 2000 20ms]"}, &turn); code != http.StatusAccepted {
		t.Fatalf("turn: %d", code)
	}
	for bound := time.Now().Add(20 * time.Second); len(w.model.Requests()) == 0; <-time.After(10 * time.Millisecond) {
		if time.Now().After(bound) {
			t.Fatal("the model was not asked")
		}
	}
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-s.exited // with the grace of the file, the turn would end by itself
	if _, ends := w.record(session.ID); len(ends) != 1 || ends[0].End != "stopped" || ends[0].Cause.Kind != "shutdown" {
		t.Errorf("ends %+v; %s", ends, s.stderrText())
	}
	if !strings.Contains(s.stderrText(), `"stopped":1`) {
		t.Errorf("the log: %s", s.stderrText())
	}
}
