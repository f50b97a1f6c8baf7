package peers_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// event is a line that sdk.mjs prints.
type event struct {
	Waits      string            `json:"waits"`
	Inserted   string            `json:"inserted"` // a prompt that was answered; only in version 2
	Prompt     string            `json:"prompt"`
	StopReason string            `json:"stopReason"`
	Permission string            `json:"permission"`
	Closed     string            `json:"closed"`
	Refused    string            `json:"refused"`
	Code       int               `json:"code"`
	Options    map[string]string `json:"options"`
	Listed     *[]struct {
		SessionID string `json:"sessionId"`
		Cwd       string `json:"cwd"`
		Title     string `json:"title"`
	} `json:"listed"`
	Exited *int `json:"exited"`
}

// script is a running scenario of sdk.mjs.
type script struct {
	*rig
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines *bufio.Scanner
	seen  []event // events that no call of until has returned
}

// sdk starts a scenario of sdk.mjs, or of sdk2.mjs for version 2.
func (r *rig) sdk(scenario string, args ...string) *script {
	r.Helper()
	file := "sdk.mjs"
	if r.version2 {
		file = "sdk2.mjs"
	}
	s := &script{rig: r, cmd: r.command(append([]string{r.node(), file, scenario}, args...)...)}
	s.cmd.Dir = "" // the folder of sdk.mjs
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		r.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		r.Fatal(err)
	}
	s.lines = bufio.NewScanner(out)
	if err := s.cmd.Start(); err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		_ = s.stdin.Close() // ends a waiting script
		_ = s.cmd.Wait()
	})
	return s
}

// command returns a command that is killed at the end of the scenario.
func (r *rig) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(r.ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = r.path("work"), r.env, 5*time.Second
	cmd.Stderr = &testLog{t: r.T, name: filepath.Base(args[0])}
	return cmd
}

// testLog shows a program's stderr if its test fails or is verbose.
type testLog struct {
	t    *testing.T
	name string
}

// Write implements io.Writer.
func (l *testLog) Write(text []byte) (int, error) {
	l.t.Logf("%s: %s", l.name, strings.TrimSpace(string(text)))
	return len(text), nil
}

// until returns the first event for which is returns true. It ignores the order of events, because
// the SDK resolves its promises in any order; the wiretap checks the order.
func (s *script) until(what string, is func(event) bool) event {
	s.Helper()
	if i := slices.IndexFunc(s.seen, is); i >= 0 {
		e := s.seen[i]
		s.seen = slices.Delete(s.seen, i, i+1)
		return e
	}
	for s.lines.Scan() {
		var e event
		if err := json.Unmarshal(s.lines.Bytes(), &e); err != nil {
			s.Fatalf("sdk.mjs printed %q", s.lines.Text())
		}
		if is(e) {
			return e
		}
		s.seen = append(s.seen, e)
	}
	s.Fatalf("sdk.mjs ended before %s; it also told %s", what, asJSON(s.T, s.seen))
	return event{}
}

// waits waits until the script waits at the given point; goOn lets it continue.
func (s *script) waits(at string) {
	s.Helper()
	s.until("waiting: "+at, func(e event) bool { return e.Waits == at })
}

func (s *script) goOn() {
	s.Helper()
	if _, err := io.WriteString(s.stdin, "\n"); err != nil {
		s.Fatal(err)
	}
}

// answered waits for the answer to a prompt and checks its stop reason.
func (s *script) answered(prompt, reason string) {
	s.Helper()
	e := s.until("the answer to "+prompt, func(e event) bool { return e.Prompt == prompt })
	if e.StopReason != reason {
		s.Errorf("%q ended with %q, not %q", prompt, e.StopReason, reason)
	}
}

func (s *script) refused(what string, code int) {
	s.Helper()
	e := s.until("refusing "+what, func(e event) bool { return e.Refused == what })
	if e.Code != code {
		s.Errorf("%s: error %d, not %d (0 is none)", what, e.Code, code)
	}
}

// ended waits for the end, which must be a successful one.
func (s *script) ended() {
	s.Helper()
	for s.lines.Scan() { // one line per agent
		var e event
		if err := json.Unmarshal(s.lines.Bytes(), &e); err != nil || e.Exited == nil || *e.Exited != 0 {
			s.Errorf("at the end sdk.mjs printed %q", s.lines.Text())
		}
	}
	if err := s.cmd.Wait(); err != nil {
		s.Fatalf("sdk.mjs: %v", err)
	}
}

// running returns the commands that have the mark as an argument or in their script.
func running(t *testing.T, mark string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Skip("what runs can be looked up on Linux only")
	}
	var found []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		args := strings.Split(string(text), "\x00")
		// Clients have the whole prompt as an argument. They are not counted.
		if name := filepath.Base(args[0]); (name == "sleep" || name == "sh" || name == "bash") && strings.Contains(string(text), mark) {
			found = append(found, strings.Join(args, " "))
		}
	}
	return found
}

// awaitRunning waits until the given number of commands with the mark run.
func (r *rig) awaitRunning(mark string, count int) {
	r.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for len(running(r.T, mark)) < count {
		select {
		case <-tick.C:
		case <-r.ctx.Done():
			r.Fatalf("%d commands with %s never ran: %v", count, mark, running(r.T, mark))
		}
	}
}
