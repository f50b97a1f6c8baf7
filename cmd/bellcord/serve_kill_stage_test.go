//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/client"
)

// mortal is a bellcord serve that will be killed.
type mortal struct {
	t      *testing.T
	world  *world
	cmd    *exec.Cmd
	log    *bufio.Scanner
	url    string
	token  string
	client *client.Client
	dead   atomic.Bool
}

// serves starts a server and waits until it prints its address.
func (w *world) serves() *mortal {
	w.t.Helper()
	m := w.bears()
	for m.log.Scan() {
		var entry struct{ Msg, URL string }
		if json.Unmarshal(m.log.Bytes(), &entry) == nil && entry.Msg == "serving" {
			m.url = entry.URL
			break
		}
	}
	if m.url == "" {
		w.t.Fatalf("it ended before it served: %s", m.log.Text())
	}
	go func() {
		for m.log.Scan() { // keep reading, so that the server never blocks on its log
		}
	}()
	token, err := os.ReadFile(filepath.Join(w.data, "token"))
	if err != nil {
		w.t.Fatal(err)
	}
	m.token = strings.TrimSpace(string(token))
	if m.client, err = client.New(m.url, m.token); err != nil {
		w.t.Fatal(err)
	}
	return m
}

func (w *world) bears() *mortal {
	w.t.Helper()
	config := filepath.Join(w.dir, "serve.toml")
	if err := os.WriteFile(config, []byte("[serve]\nrequests_per_second = 0 # the guests are in a hurry\n"), 0o600); err != nil {
		w.t.Fatal(err)
	}
	m := &mortal{t: w.t, world: w, cmd: w.bellcord("serve", "--addr", "127.0.0.1:0", "--mode", "full", "--config", config)}
	logged, err := m.cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	m.log = bufio.NewScanner(logged)
	if err := m.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(m.dies)
	return m
}

// dies kills the server with SIGKILL.
func (m *mortal) dies() {
	m.dead.Store(true)
	_ = m.cmd.Process.Kill()
	_, _ = m.cmd.Process.Wait()
}

// diesYoung kills a server during its start, while it ends the turns of the previous one.
func (w *world) diesYoung() {
	w.t.Helper()
	m := w.bears()
	<-time.After(rand.N(150 * time.Millisecond))
	m.dies()
}

// mayBeDead handles a failed request and returns false. It reports an error if the server rejected
// the request or is still alive.
func (m *mortal) mayBeDead(err error) bool {
	var refused *client.Problem
	if errors.As(err, &refused) || !m.dead.Load() {
		m.t.Errorf("a living server: %v", err)
	}
	return false
}

// stream reads a session's events from the event stream.
type stream struct {
	io.Closer
	t     *testing.T
	lines *bufio.Scanner
	next  int
}

// stream opens the event stream after the given event; it returns nil if the server is dead.
func (m *mortal) stream(session bellcord.SessionID, after int) *stream {
	res := m.get("/v1/sessions/" + string(session) + "/events?after=" + strconv.Itoa(after))
	if res == nil {
		return nil
	}
	s := &stream{Closer: res.Body, t: m.t, lines: bufio.NewScanner(res.Body), next: after + 1}
	s.lines.Buffer(nil, 1<<20)
	return s
}

// event returns the data of the next event; false at the end.
func (s *stream) event() (data string, ok bool) {
	id := ""
	for s.lines.Scan() {
		line := s.lines.Text()
		switch {
		case strings.HasPrefix(line, "id: "):
			id = line[4:]
		case strings.HasPrefix(line, "data: "):
			data = line[6:]
		case line == "" && data != "":
			if id != strconv.Itoa(s.next) {
				s.t.Errorf("event %s comes where %d is next", id, s.next)
			}
			s.next++
			return data, true
		}
	}
	return "", false
}

func (m *mortal) get(path string) *http.Response {
	req, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, m.url+path, http.NoBody)
	if err != nil {
		m.t.Error(err)
		return nil
	}
	req.Header.Set("Authorization", "Bearer "+m.token)
	res, err := http.DefaultClient.Do(req)
	if err == nil && res.StatusCode == http.StatusOK {
		return res
	}
	if err == nil {
		err = fmt.Errorf("%s: %s", path, res.Status)
		_ = res.Body.Close()
	}
	m.mayBeDead(err)
	return nil
}

// storedEvent is a stored event and its JSON.
type storedEvent struct {
	Kind string          `json:"kind"`
	Turn bellcord.TurnID `json:"turn"`
	raw  json.RawMessage
}

// text returns the text of a text_delta event.
func (e storedEvent) text(t *testing.T) string {
	t.Helper()
	var ev struct {
		Body struct{ Text string }
	}
	if err := json.Unmarshal(e.raw, &ev); err != nil {
		t.Fatal(err)
	}
	return ev.Body.Text
}

// record returns a session's events as a server reads them that was started after they were
// written.
func (m *mortal) record(session bellcord.SessionID) []storedEvent {
	m.t.Helper()
	var transcript struct{ Events []json.RawMessage }
	if res := m.get("/v1/sessions/" + string(session) + "/transcript?format=json"); res != nil {
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(&transcript); err != nil {
			m.t.Fatal(err)
		}
	}
	all := make([]storedEvent, len(transcript.Events))
	for i, data := range transcript.Events {
		all[i].raw = data
		if err := json.Unmarshal(data, &all[i]); err != nil {
			m.t.Fatal(err)
		}
	}
	return all
}
