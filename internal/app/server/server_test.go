//go:build unix

package server

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/secret"
)

func testConfig(t *testing.T) app.Config {
	t.Helper()
	logger := slog.New(slog.DiscardHandler)
	return app.Config{
		Settings: config.Config{
			DataDir: shortDir(t), Model: "fake/fake", Mode: "ask",
			Provider: map[string]config.Provider{config.Fake: {API: config.Fake}},
			Serve:    config.Serve{Addr: "127.0.0.1:0", MaxTurns: -1, MaxTurnsPerOwner: -1, MaxViewers: -1, MaxViewersPerOwner: -1},
		},
		Version: "1.2.3", Secrets: &secret.Set{}, Logger: logger, TurnLog: logger,
	}
}

func TestRun_Signal_ShutsDownAndRemovesTheSocket(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	s, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	signals, ready, ended := make(chan os.Signal, 1), make(chan string, 1), make(chan error, 1)
	go func() { ended <- s.Run(signals, func(url string) { ready <- url }) }()
	url := <-ready
	token, err := os.ReadFile(filepath.Join(c.Settings.DataDir, "token"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/readyz": "ready", "/metrics": "bellcord_"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %.200s, %v", path, res.StatusCode, body, err)
		}
	}
	if _, err := Open(t.Context(), c); err == nil || !strings.Contains(err.Error(), "a server is already running on this data directory") {
		t.Errorf("a second server: %v", err)
	}
	signals <- os.Interrupt
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(c.Settings.DataDir, "bellcord.sock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket: %v", err)
	}
}

func TestOpen_TokenFileThatCannotBeWritten_FailsAndClosesEverything(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	blocked := filepath.Join(c.Settings.DataDir, "token")
	if err := os.MkdirAll(filepath.Join(blocked, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), c); err == nil {
		t.Fatal("it opened")
	}
	if err := os.RemoveAll(blocked); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.shutdown(nil); err != nil {
		t.Error(err)
	}
}

func TestPageURL_WithHostNames_UsesTheFirst(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		serve config.Serve
		want  string
	}{
		{config.Serve{}, "http://127.0.0.1:4500"},
		{config.Serve{TLSCert: "x"}, "https://127.0.0.1:4500"},
		{config.Serve{AllowedHosts: []string{"a.example", "b"}}, "http://a.example:4500"},
		{config.Serve{AllowedHosts: []string{"a.example:80"}}, "http://a.example:80"},
		{config.Serve{AllowedHosts: []string{"a.example"}, TrustProxy: true}, "https://a.example"},
	} {
		s := &Server{settings: config.Config{Serve: test.serve}, tcp: listenerAt("127.0.0.1:4500")}
		if got := s.pageURL(); got != test.want {
			t.Errorf("%+v: %s, want %s", test.serve, got, test.want)
		}
	}
}

type listenerAt string

func (listenerAt) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (listenerAt) Close() error              { return nil }
func (l listenerAt) Addr() net.Addr {
	addr, err := net.ResolveTCPAddr("tcp", string(l))
	if err != nil {
		panic(err)
	}
	return addr
}

func TestConnections_OneTooMany_ClosesAnIdleOneFirst(t *testing.T) {
	t.Parallel()
	c := newConnections(32, slog.New(slog.DiscardHandler)) // 16 connections
	others := map[net.Conn]net.Conn{}
	open := func(state http.ConnState) net.Conn {
		one, other := net.Pipe()
		others[one] = other
		c.changed(one, http.StateNew)
		c.changed(one, state)
		return one
	}
	for range 14 {
		open(http.StateActive)
	}
	fresh, idle := open(http.StateNew), open(http.StateIdle)
	for _, victim := range []net.Conn{idle, fresh} {
		open(http.StateActive)
		_ = others[victim].SetReadDeadline(time.Now().Add(5 * time.Second))
		if _, err := others[victim].Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("it is still open: %v", err)
		}
	}
	if len(c.open) != c.most {
		t.Errorf("%d connections are open, want %d", len(c.open), c.most)
	}
	if newConnections(0, nil) != nil || mostViewers(-1, 0) != -1 || mostViewers(-1, 400) != 150 || mostViewers(7, 400) != 7 {
		t.Error("wrong limits")
	}
}

// shortDir returns a directory with a path short enough for a socket. On
// macOS, that of t.TempDir is too long.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
