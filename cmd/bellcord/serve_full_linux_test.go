package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// The test fills the file system of a server's data directory, a real one of 12 MB.
func TestServe_DiskFull_IsNotReadyAndRunsNoRejectedTurn(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 || exec.Command("unshare", "-m", "true").Run() != nil {
		missing(t, "root and unshare, to mount a small file system")
		return
	}
	w := newServerWorld(t)
	server := w.daemonOnSmallDisk()
	session, turn := server.prompts("[slow 100000 5ms]")
	server.until(session, "text_delta")
	var idle bellcord.Session
	if status := server.request("POST", "/v1/sessions", api.NewSession{}, &idle); status != 201 {
		t.Fatalf("a session: %d", status)
	}
	filler := filepath.Join("/proc", fmt.Sprint(server.Process.Pid), "root", w.data, "filler")
	fill(t, filler)

	refused := bellcord.NewTurnID()
	began := time.Now()
	if status, kind := server.problem("POST", "/v1/sessions/"+string(idle.ID)+"/turns", api.NewTurn{ID: string(refused), Text: "never to run"}); status != 503 || kind != "urn:bellcord:store-unavailable" {
		t.Errorf("a prompt on a full disk: %d %s", status, kind)
	}
	t.Log("a prompt on a full disk was refused after", time.Since(began).Round(time.Millisecond))
	began = time.Now()
	if status, kind := server.problem("POST", "/v1/sessions", api.NewSession{}); status != 503 || kind != "urn:bellcord:store-unavailable" {
		t.Errorf("a session on a full disk: %d %s", status, kind)
	}
	if took := time.Since(began); *timing && took > 3*time.Second {
		t.Errorf("a session was refused after %v", took)
	}
	if status := server.request("GET", "/readyz", nil, nil); status != 503 {
		t.Errorf("/readyz on a full disk: %d", status)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); server.request("GET", "/readyz", nil, nil) != 200; {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("it does not recover: %s", server.stderrText())
		}
	}
	if status := server.request("GET", "/v1/turns/"+string(refused), nil, nil); status != 404 {
		t.Errorf("the refused turn: %d", status)
	}
	var stopped api.Stopped
	if status := server.request("POST", "/v1/turns/"+string(turn)+"/stop", api.Stop{}, &stopped); status != 200 {
		t.Errorf("stop of the turn that went on: %d %+v", status, stopped)
	}
	for _, r := range w.model.Requests() {
		if strings.Contains(string(r.Raw), "never to run") {
			t.Error("the refused prompt was sent to the model")
		}
	}
	if out, errs, code := w.onDiskOf(server, "store", "check"); code != 0 {
		t.Errorf("check: %d %s%s", code, out, errs)
	}
}

// daemonOnSmallDisk starts a server in a separate mount namespace, with its data directory on a
// file system of 12 MB.
func (w *world) daemonOnSmallDisk() *daemon {
	w.t.Helper()
	wrapper := filepath.Join(w.t.TempDir(), "small")
	script := fmt.Sprintf("#!/bin/sh\nmount -t tmpfs -o size=12m,mode=700 none %q && exec %q \"$@\"\n", w.data, os.Args[0])
	if err := os.WriteFile(wrapper, []byte(script), 0o700); err != nil {
		w.t.Fatal(err)
	}
	cmd := w.bellcord("serve", "--addr", "127.0.0.1:0")
	cmd.Args = append([]string{"unshare", "-m", wrapper}, cmd.Args[1:]...)
	var err error
	if cmd.Path, err = exec.LookPath("unshare"); err != nil {
		w.t.Fatal(err)
	}
	return w.served(cmd)
}

// onDiskOf runs a command in the mount namespace of a server.
func (w *world) onDiskOf(server *daemon, args ...string) (stdout, stderr string, code int) {
	cmd := w.bellcord(args...)
	cmd.Args = append([]string{"nsenter", "-m", "-t", fmt.Sprint(server.Process.Pid), os.Args[0]}, args...)
	cmd.Path, _ = exec.LookPath("nsenter")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), err.Error(), 1
	}
	return string(out), "", 0
}

// fill writes until the file system is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size >= 1; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// problem makes a request that must be rejected, and returns its status and problem type.
func (s *daemon) problem(method, path string, body any) (status int, kind string) {
	s.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(string(data)))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var p struct{ Type string }
	_ = json.Unmarshal(text, &p) // another answer has no problem type
	return resp.StatusCode, p.Type
}
