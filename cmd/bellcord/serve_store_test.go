//go:build unix

package main

import (
	"bytes"
	"errors"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// The listener accepts connections and never answers, as a database behind a
// broken network does.
func TestServe_SIGTERMWhileTheStoreDoesNotAnswer_Ends(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connected := make(chan net.Conn, 1)
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			select {
			case connected <- conn:
			default:
				_ = conn.Close()
			}
		}
	}()
	t.Cleanup(func() { _ = silent.Close() })
	w := newServerWorld(t)
	const connectTimeout = "600" // seconds: without the signal, the start would go on
	cmd := w.bellcord("serve", "--addr", "127.0.0.1:0",
		"--store-url", "postgres://postgres@"+silent.Addr().String()+"/test?sslmode=disable&connect_timeout="+connectTimeout)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	select {
	case conn := <-connected:
		defer conn.Close()
	case err := <-ended:
		t.Fatalf("it ended before it connected: %v\n%s", err, &errs)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || !strings.Contains(errs.String(), "ended by the signal") {
			t.Errorf("it ended with %v\n%s", err, &errs)
		}
	case <-time.After(openGrace + 30*time.Second): // busy machine
		t.Fatal("it does not end")
	}
}

// PostgreSQL rejects such a name in an index. The commit also has ops of others.
func TestServe_LongModelNameOnPostgres_OthersAreAnswered(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	store := "BELLCORD_STORE=" + ownSchema(t).String()
	s := w.daemon([]string{store})
	long := "openai/" + strings.Repeat("n", 10_000)
	if status := s.request("POST", "/v1/sessions", api.NewSession{Model: long}, nil); status < 400 || status >= 500 {
		t.Errorf("a session with the long name: %d, want a refusal", status)
	}
	session, turn := s.prompts("say hi")
	s.until(session, "turn_ended")
	if status := s.request("PATCH", "/v1/sessions/"+string(session), map[string]string{"model": long}, nil); status < 400 || status >= 500 {
		t.Errorf("a change to the long name: %d, want a refusal", status)
	}
	var ended api.Turn
	if status := s.request("GET", "/v1/turns/"+string(turn), nil, &ended); status != 200 || ended.Receipt == nil {
		t.Errorf("the turn: %d, state %s", status, ended.State)
	}
	create := w.bellcord("token", "create", "--owner", "bert", "--scope", "read,prompt,stop")
	create.Env = append(create.Env, store)
	token, err := create.Output()
	if err != nil {
		t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(token))
	var other bellcord.Session
	if status := s.request("POST", "/v1/sessions", api.NewSession{}, &other); status != 201 {
		t.Fatalf("a session of another owner: %d", status)
	}
	if status := s.request("POST", "/v1/sessions/"+string(other.ID)+"/turns", api.NewTurn{Text: "say hi"}, nil); status != 202 {
		t.Fatalf("a turn of another owner: %d", status)
	}
	s.until(other.ID, "turn_ended")
}
