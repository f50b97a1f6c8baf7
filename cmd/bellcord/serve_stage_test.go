//go:build unix

package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// daemon is a running bellcord serve.
type daemon struct {
	*exec.Cmd
	t          *testing.T
	client     *http.Client
	url, token string
	exited     chan struct{} // closed when it has ended

	mu  sync.Mutex
	log strings.Builder
}

// newServerWorld is a world with a data directory that has a path short enough for a socket.
func newServerWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	data, err := os.MkdirTemp("", "bc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(data) })
	w.data = data
	return w
}

// daemon starts a server and waits until it serves.
func (w *world) daemon(env []string, args ...string) *daemon {
	w.t.Helper()
	cmd := w.bellcord(append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
	cmd.Env = append(cmd.Env, env...)
	return w.served(cmd)
}

// served starts a command that is a server and waits until it serves.
func (w *world) served(cmd *exec.Cmd) *daemon {
	w.t.Helper()
	s := &daemon{Cmd: cmd, t: w.t, client: &http.Client{}, exited: make(chan struct{})}
	errs, err := s.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = s.Process.Kill(); <-s.exited })
	serving := make(chan string, 1)
	go func() {
		defer close(s.exited)
		lines := bufio.NewScanner(errs)
		for lines.Scan() {
			var entry struct{ Msg, URL string }
			_ = json.Unmarshal(lines.Bytes(), &entry) // other lines are not JSON
			if entry.Msg == "serving" {
				serving <- entry.URL
			}
			s.mu.Lock()
			s.log.WriteString(lines.Text() + "\n")
			s.mu.Unlock()
		}
		_ = s.Wait()
	}()
	select {
	case s.url = <-serving:
	case <-s.exited:
		w.t.Fatalf("it does not serve: %s", s.stderrText())
	}
	token, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.Process.Pid), "root", w.data, "token")) // as its mount namespace shows it
	if err != nil {
		token, err = os.ReadFile(filepath.Join(w.data, "token"))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	s.token = strings.TrimSpace(string(token))
	return s
}

func (s *daemon) stderrText() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// request makes a request and returns its status. A successful answer is decoded into into, unless that
// is nil.
func (s *daemon) request(method, path string, body, into any) int {
	s.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	if body == nil {
		r.Body, r.ContentLength = nil, 0
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatalf("%s %s: %v; %s", method, path, err, s.stderrText())
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if into != nil && resp.StatusCode < 400 {
		if err := json.Unmarshal(answer, into); err != nil {
			s.t.Fatalf("%s %s: %v in %s", method, path, err, answer)
		}
	}
	return resp.StatusCode
}

// prompts creates a session in mode full and a turn in it.
func (s *daemon) prompts(text string) (session bellcord.SessionID, turn bellcord.TurnID) {
	s.t.Helper()
	var made bellcord.Session
	if status := s.request("POST", "/v1/sessions", api.NewSession{Mode: "full"}, &made); status != 201 {
		s.t.Fatalf("a session: %d", status)
	}
	var begun api.Turn
	if status := s.request("POST", "/v1/sessions/"+string(made.ID)+"/turns", api.NewTurn{Text: text}, &begun); status != 202 {
		s.t.Fatalf("a turn: %d", status)
	}
	return made.ID, begun.ID
}

// until reads a session's events up to one of the given kind.
func (s *daemon) until(session bellcord.SessionID, kind string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/v1/sessions/"+string(session)+"/events", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"kind":"`+kind+`"`) {
			return
		}
	}
	s.t.Fatalf("no %s came", kind)
}

// signals sends SIGTERM and waits until the server is no longer ready.
func (s *daemon) signals() {
	s.t.Helper()
	if err := s.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	for began := time.Now(); s.request("GET", "/readyz", nil, nil) != 503; {
		if time.Since(began) > 20*time.Second {
			s.t.Fatal("it is still ready")
		}
	}
}

// ends waits for the server's end and returns its exit code.
func (s *daemon) ends() int {
	s.t.Helper()
	select {
	case <-s.exited:
	case <-time.After(40 * time.Second):
		s.t.Fatalf("it does not end: %s", s.stderrText())
	}
	return s.ProcessState.ExitCode()
}

func (s *daemon) terminates() { _ = s.Process.Signal(syscall.SIGTERM) }

// certificate returns a self-signed certificate for this machine.
func certificate(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(parsed)
	return write("cert", "CERTIFICATE", der), write("key", "PRIVATE KEY", secret), roots
}
