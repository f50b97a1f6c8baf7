//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// hostsTurns starts a bellcord serve in the world and returns its address.
func (w *world) hostsTurns() string {
	w.t.Helper()
	cmd := w.bellcord("serve", "--addr", "127.0.0.1:0", "--shutdown-grace", "1ms")
	logged, err := cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, logged)
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(logged)
	for lines.Scan() {
		var entry struct{ Msg, URL string }
		if json.Unmarshal(lines.Bytes(), &entry) == nil && entry.Msg == "serving" {
			go io.Copy(io.Discard, logged)
			return entry.URL
		}
	}
	w.t.Fatal("the server did not come up")
	return ""
}

func TestRun_AtServer_BehavesAsLocally(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	url := w.hostsTurns()
	out, errs, code := w.does("run", "--server", url, "[say Hello there.]")
	if out != "Hello there.\n" || errs != "" || code != 0 {
		t.Errorf("stdout %q, stderr %q, exit code %d", out, errs, code)
	}
	turn := bellcord.NewTurnID()
	p := w.starts("--server", url, "--turn", string(turn), "[say one]")
	session := p.until("text_delta").Session
	if p.drain(); p.end == nil || p.end.Turn != turn || p.end.End != bellcord.EndDone {
		t.Errorf("end %+v", p.end)
	}
	out, _, code = w.does("run", "--server", url, "--session", string(session), "[say two]")
	if text, ends := w.record(session); out != "two\n" || code != 0 || text != "onetwo" || len(ends) != 2 {
		t.Errorf("stdout %q, exit code %d, on record %q", out, code, text)
	}
}

func TestServerFlag_Mistake_IsReportedInOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	url := w.hostsTurns()
	token := filepath.Join(w.dir, "token")
	if err := os.WriteFile(token, []byte("bc_1_x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"run", "--server", url, "--deadline", "100ms", "[slow 1000]"}, ": time limit", exitDeadline},
		{[]string{"run", "--server", url, "--session", "nope", "hi"}, "no such session", exitFailed},
		{[]string{"run", "--server", url, "--turn", "seven", "hi"}, "id is not a UUID", exitFailed},
		{[]string{"run", "--server", url, "--token-file", token, "hi"}, "credentials", exitFailed},
		{[]string{"run", "--server", url, "--token-file", "/nowhere", "hi"}, "no such file", exitFailed},
		{[]string{"run", "--server", "http://bells.example", "--token-file", token, "hi"}, "refusing to send a token over plain http", exitFailed},
		{[]string{"ps", "--server", "bells"}, "is not a server address", exitFailed},
		{[]string{"stop", "--server", url}, "name a turn or a session", exitFailed},
		{[]string{"stop", "--all", "x"}, "name a turn or a session", exitFailed},
		{[]string{"stop", "--queue", "later", "--all"}, "use hold, drop or next", exitFailed},
		{[]string{"stop", "nope"}, "neither a session nor a turn", exitFailed},
		{[]string{"attach", "nope"}, "no id begins or ends with nope", exitFailed},
	} {
		if _, errs, code := w.does(c.args...); !strings.Contains(errs, c.want) || code != c.code {
			t.Errorf("%v: %q, exit code %d", c.args, errs, code)
		}
	}
}

func TestRun_CtrlCTwiceAtServer_StopsThenForces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	url := w.hostsTurns()
	p := w.starts("--server", url, "--mode", "full", `[tool shell {"command":"trap '' TERM; echo ready; while :; do sleep 0.05; done"}]`)
	p.until("tool_output_delta")
	for range 2 {
		if err := p.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		p.untilStopOrEnd()
	}
	p.drain()
	if p.end == nil || p.end.End != bellcord.EndStopped || p.ProcessState.ExitCode() != exitStopped {
		t.Fatalf("end %+v, exit code %d: %s", p.end, p.ProcessState.ExitCode(), p.errs.String())
	}
	took := p.end.Times.Settled.Sub(p.end.Times.StopRequested)
	if w.stopOf(p.end.Turn).Mode != bellcord.StopForce || *timing && took >= 2*time.Second || len(p.end.Processes.Ended) == 0 {
		t.Errorf("it waited out the grace: %v, %+v, %+v", took, w.stopOf(p.end.Turn), p.end.Processes)
	}
}

// wire forwards connections to a server and can be cut.
type wire struct {
	net.Listener
	to    string
	mu    sync.Mutex
	conns []net.Conn
}

// layWire returns a wire to the server at url, and the wire's address.
func layWire(t *testing.T, url string) (*wire, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: listener, to: strings.TrimPrefix(url, "http://")}
	t.Cleanup(func() { _ = listener.Close(); w.cut() })
	go w.carry()
	return w, "http://" + listener.Addr().String()
}

func (w *wire) carry() {
	for {
		near, err := w.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", w.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		w.mu.Lock()
		w.conns = append(w.conns, near, far)
		w.mu.Unlock()
		go io.Copy(near, far)
		go io.Copy(far, near)
	}
}

// cut breaks the current connections.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

func TestRun_ConnectionBroken_ResumesViewWithoutAffectingTurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	wire, url := layWire(t, w.hostsTurns())
	p := w.starts("--server", url, "[slow 400 5ms]")
	session := p.until("text_delta").Session
	for range 3 {
		wire.cut()
		for range 30 {
			p.until("text_delta")
		}
	}
	p.drain()
	text, ends := w.record(session)
	if text != p.shown.String() || len(ends) != 1 || ends[0].End != bellcord.EndDone || p.ProcessState.ExitCode() != 0 {
		t.Errorf("shown %q, on record %q, ends %+v", p.shown.String(), text, ends)
	}
	if !strings.Contains(p.errs.String(), "connection to the server lost") {
		t.Errorf("nothing was broken: %q", p.errs.String())
	}
}

func TestStop_ServerFoundBySocket_StopsTurnSessionAndAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	url := w.hostsTurns()
	for _, scope := range []string{"turn", "session", "all"} {
		p := w.starts("--server", url, "[slow 100000 1ms]")
		delta := p.until("text_delta")
		args := map[string][]string{
			"turn": {string(delta.Turn)}, "session": {string(delta.Session)}, "all": {"--all"},
		}[scope]
		out, errs, code := w.does(append([]string{"stop", "--reason", "enough"}, args...)...)
		p.drain()
		if !strings.HasPrefix(out, "■ stopped by ") || code != 0 {
			t.Errorf("%s: %q %q, exit code %d", scope, out, errs, code)
		}
		if p.end == nil || p.end.Cause.Reason != "enough" || p.end.Cause.By != "admin" || p.end.Cause.Source != "bellcord stop" || p.ProcessState.ExitCode() != exitStopped {
			t.Errorf("%s: end %+v, exit code %d", scope, p.end, p.ProcessState.ExitCode())
		}
	}
	turn := string(bellcord.NewTurnID())
	if out, _, code := w.does("stop", turn); !strings.Contains(out, "no such turn yet") || code != 0 {
		t.Errorf("%q, exit code %d", out, code)
	}
	if _, _, code := w.does("run", "--server", url, "--turn", turn, "hello"); code != exitStopped {
		t.Errorf("the turn came with exit code %d", code)
	}
	if out, _, code := w.does("stop", "--all"); out != "Nothing is running.\n" || code != 0 {
		t.Errorf("%q, exit code %d", out, code)
	}
}

// Law 32 for scopes: without a server, a stop reaches the process that runs the turn.
func TestLaw32_StopOfSessionOrAll_NeedsNoServer(t *testing.T) {
	t.Parallel()
	for _, scope := range []string{"session", "all"} {
		t.Run(scope, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p, other := w.starts("[slow 100000 1ms]"), w.starts("[hang after 1]")
			session := p.until("text_delta").Session
			other.until("text_delta")
			args, want := []string{"stop", "--json", "--all"}, 2
			if scope == "session" {
				args, want = []string{"stop", "--json", string(session)}, 1
			}
			out, errs, code := w.does(args...)
			var stopped api.Stopped
			if err := json.Unmarshal([]byte(out), &stopped); err != nil || stopped.State != bellcord.StopStateSettled || len(stopped.Turns) != want || code != 0 {
				t.Fatalf("%v: %q %q, exit code %d", err, out, errs, code)
			}
			p.drain()
			if p.end == nil || p.end.End != bellcord.EndStopped || p.end.Cause.Source != "bellcord stop" {
				t.Errorf("end %+v", p.end)
			}
		})
	}
}
