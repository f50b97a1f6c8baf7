//go:build unix

package main

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

func TestServe_FirstStart_CreatesTokenThatSecondKeeps(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil)
	if info, err := os.Stat(filepath.Join(w.data, "token")); err != nil || info.Mode() != 0o600 {
		t.Errorf("the token's file: %v, %v", info.Mode(), err)
	}
	if strings.Contains(s.stderrText(), s.token) {
		t.Error("the token is in the log")
	}
	var me api.Me
	if status := s.request("GET", "/v1/me", nil, &me); status != 200 || me.Owner != "admin" {
		t.Errorf("%d, %+v", status, me)
	}
	out, errs, code := w.does("serve", "--addr", "127.0.0.1:0")
	if code == 0 || !strings.Contains(out+errs, "a server is already running on this data directory") {
		t.Errorf("a second server: exit code %d, %s", code, out+errs)
	}
	s.terminates()
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderrText())
	}
	again := w.daemon(nil)
	if again.token != s.token || again.request("GET", "/v1/me", nil, nil) != 200 {
		t.Error("the second start has another token")
	}
}

func TestSocket_WithoutToken_AllowsOnlyReadAndStop(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil)
	path := filepath.Join(w.data, "bellcord.sock")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	s.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	session, turn := s.prompts("[slow 1000 50ms]")
	token := s.token
	s.token = ""
	var me api.Me
	if status := s.request("GET", "/v1/me", nil, &me); status != 200 || me.Owner != "admin" || !slices.Equal(me.Scopes, []string{"read", "stop"}) {
		t.Errorf("%d, %+v", status, me)
	}
	requests := []struct {
		method, path string
		body         any
		with         int
	}{
		{"PATCH", "/v1/sessions/" + string(session), api.SessionChange{Mode: "full"}, 200},
		{"POST", "/v1/turns/" + string(turn) + "/answers/q", api.Answer{Choice: "allow"}, 404},
		{"POST", "/v1/codes", nil, 201},
		{"POST", "/v1/sessions", nil, 201},
		{"POST", "/v1/sessions/" + string(session) + "/turns", api.NewTurn{Text: "hello"}, 202},
	}
	for _, r := range requests {
		for _, bad := range []string{"", "bc_0123456789ab_00"} {
			s.token = bad
			if status := s.request(r.method, r.path, r.body, nil); status != 403 {
				t.Errorf("%s %s with token %q: %d, want 403", r.method, r.path, bad, status)
			}
		}
		s.token = token
		if status := s.request(r.method, r.path, r.body, nil); status != r.with {
			t.Errorf("%s %s with a token: %d, want %d", r.method, r.path, status, r.with)
		}
	}
	s.token = "bc_0123456789ab_00" // an invalid token prevents no stop
	var nodes api.Nodes
	if status := s.request("GET", "/v1/nodes", nil, &nodes); status != 200 || len(nodes.Nodes) != 1 {
		t.Errorf("the nodes: %d %+v", status, nodes)
	}
	if status := s.request("POST", "/v1/stop", api.Stop{Queue: "drop"}, nil); status != 200 {
		t.Errorf("a stop: %d", status)
	}
}

func TestOpen_DataDirectoryWithoutToken_PrintsAdvice(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	w.daemon(nil)
	elsewhere := filepath.Join(w.dir, "token")
	if err := os.Rename(filepath.Join(w.data, "token"), elsewhere); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := w.does("open", "--print"); code == 0 || !strings.Contains(errs, "--token-file") {
		t.Errorf("without a token: %d %s%s", code, out, errs)
	}
	if out, errs, code := w.does("open", "--print", "--token-file", elsewhere); code != 0 {
		t.Errorf("with a token: %d %s%s", code, out, errs)
	}
	if out, errs, code := w.does("ps"); code != 0 {
		t.Errorf("ps without a token: %d %s%s", code, out, errs)
	}
}

func TestServe_NonLoopbackAddress_RequiresTLS(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	if out, errs, code := w.does("serve", "--addr", "0.0.0.0:0", "--allow-host", "x"); code == 0 || !strings.Contains(out+errs, "tokens would be sent unencrypted") {
		t.Errorf("exit code %d: %s", code, out+errs)
	}
	cert, key, roots := certificate(t)
	s := w.daemon(nil, "--tls-cert", cert, "--tls-key", key)
	s.client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	if !strings.HasPrefix(s.url, "https://") || s.request("GET", "/v1/me", nil, nil) != 200 {
		t.Errorf("it serves at %s", s.url)
	}
}

func TestServe_Shutdown_FinishesQuickTurnsAndStopsTheRest(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil, "--shutdown-grace", "4s")
	token := strconv.Itoa(80_000_000 + os.Getpid())
	quick, _ := s.prompts("[slow 30 50ms]")
	slow, _ := s.prompts(`[tool shell {"command":"echo up; sleep ` + token + `"}]`)
	s.until(slow, "tool_output_delta")
	s.signals()
	if status := s.request("POST", "/v1/sessions/"+string(quick)+"/turns", api.NewTurn{Text: "hello"}, nil); status != 503 {
		t.Errorf("a prompt meanwhile: %d", status)
	}
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderrText())
	}
	if _, ends := w.record(quick); len(ends) != 1 || ends[0].End != bellcord.EndDone {
		t.Errorf("the quick one: %+v", ends)
	}
	if _, ends := w.record(slow); len(ends) != 1 || ends[0].End != bellcord.EndStopped || ends[0].Cause.Kind != bellcord.CauseShutdown {
		t.Errorf("the slow one: %+v", ends)
	}
	if left := sleepers(t, token); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestServe_SecondSignal_ForcesShutdown(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil, "--shutdown-grace", "10m")
	session, _ := s.prompts("[hang]")
	s.until(session, "step_started")
	s.signals()
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderrText())
	}
	if _, ends := w.record(session); len(ends) != 1 || ends[0].Cause.Kind != bellcord.CauseShutdown || ends[0].Cause.Mode != bellcord.StopForce {
		t.Errorf("%+v", ends)
	}
}

func TestServe_AfterKill_TurnIsLostAndEarlyStopStillApplies(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil)
	token := strconv.Itoa(81_000_000 + os.Getpid())
	session, turn := s.prompts(`[tool shell {"command":"echo up; sleep ` + token + `"}]`)
	s.until(session, "tool_output_delta")
	early := bellcord.NewTurnID()
	if status := s.request("POST", "/v1/turns/"+string(early)+"/stop", nil, nil); status != 202 {
		t.Errorf("an early stop: %d", status)
	}
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.exited
	next := w.daemon(nil)
	if left := sleepers(t, token); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	var lost, born api.Turn
	if next.request("GET", "/v1/turns/"+string(turn)+"?wait=10s", nil, &lost); lost.State != "lost" {
		t.Errorf("the turn is %+v", lost)
	}
	next.request("POST", "/v1/sessions/"+string(session)+"/turns", api.NewTurn{ID: string(early), Text: "hello"}, nil)
	if next.request("GET", "/v1/turns/"+string(early)+"?wait=10s", nil, &born); born.State != "stopped" || !born.Receipt.Times.Started.IsZero() {
		t.Errorf("the one that was stopped before it came is %+v", born)
	}
}

func TestServe_NotifySocket_ReceivesReadyAndStopping(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	path := filepath.Join(w.data, "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	next := func() string {
		t.Helper()
		b := make([]byte, 100)
		_ = l.SetReadDeadline(time.Now().Add(20 * time.Second))
		n, err := l.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	s := w.daemon([]string{"NOTIFY_SOCKET=" + path})
	if got := next(); got != "READY=1" {
		t.Errorf("first it says %q", got)
	}
	s.terminates()
	if got := next(); got != "STOPPING=1" {
		t.Errorf("then it says %q", got)
	}
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestServe_TokenRevoked_IsRejectedImmediately(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon(nil)
	out, errs, code := w.does("token", "create", "--owner", "anna", "--scope", "read")
	if code != 0 {
		t.Fatal(errs)
	}
	s.token = strings.TrimSpace(out)
	if status := s.request("GET", "/v1/me", nil, nil); status != 200 {
		t.Fatalf("at first: %d", status)
	}
	if _, errs, code := w.does("token", "revoke", strings.Split(s.token, "_")[1]); code != 0 {
		t.Fatal(errs)
	}
	if status := s.request("GET", "/v1/me", nil, nil); status != 401 {
		t.Errorf("then: %d", status)
	}
}
