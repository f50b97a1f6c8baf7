//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

var timing = flag.Bool("timing", false, "assert durations that are promises; for a machine that does nothing else")

// TestMain runs the test binary as bellcord if BELLCORD_TEST_MAIN is set, so that tests can start,
// signal and kill real processes.
func TestMain(m *testing.M) {
	if os.Getenv("BELLCORD_TEST_MAIN") == "1" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// world is a fake model and a data directory that processes share.
type world struct {
	t     *testing.T
	model *fakemodel.Server
	url   string
	data  string
	dir   string

	program string              // "" is this test binary
	user    *syscall.Credential // nil is the test's user
	env     []string            // added to the environment of each process

	judged map[bellcord.TurnID]bool // turns whose receipts were compared
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, model: fakemodel.New(), data: t.TempDir(), dir: t.TempDir()}
	running, url, err := w.model.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = running.Close() })
	w.url = url
	return w
}

// bellcord returns a command of this program in the world.
func (w *world) bellcord(args ...string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(w.program, os.Args[0]), args...)
	cmd.Dir = w.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: w.user}
	cmd.Env = append(os.Environ(),
		"BELLCORD_TEST_MAIN=1", "OPENAI_API_KEY=x", "OPENAI_BASE_URL="+w.url,
		"BELLCORD_MODEL=openai/fake", "BELLCORD_DATA="+w.data, "XDG_CONFIG_HOME="+w.dir)
	cmd.Env = append(cmd.Env, w.env...)
	return cmd
}

// configure writes the settings file.
func (w *world) configure(text string) {
	w.t.Helper()
	dir := filepath.Join(w.dir, "bellcord")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	path := filepath.Join(dir, "config.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if w.user != nil {
		for _, p := range []string{dir, path} {
			if err := os.Chown(p, int(w.user.Uid), int(w.user.Gid)); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

// withoutSandbox switches the sandbox off. Its commands have the process ids of the
// host, and can use files and sockets that the sandbox hides.
func (w *world) withoutSandbox() *world {
	w.t.Helper()
	w.configure("[sandbox]\nmode = \"off\"\n")
	return w
}

// does runs a command to its end.
func (w *world) does(args ...string) (stdout, stderr string, code int) {
	w.t.Helper()
	cmd := w.bellcord(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// process is a running bellcord run --json.
type process struct {
	*exec.Cmd
	t     *testing.T
	lines *bufio.Scanner
	errs  bytes.Buffer
	shown strings.Builder // the text shown so far
	end   *bellcord.Receipt
}

func (w *world) starts(args ...string) *process {
	w.t.Helper()
	p := &process{Cmd: w.bellcord(append([]string{"run", "--json"}, args...)...), t: w.t}
	out, err := p.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	p.Stderr = &p.errs
	p.lines = bufio.NewScanner(out)
	p.lines.Buffer(nil, 1<<20)
	if err := p.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = p.Process.Kill(); _, _ = io.Copy(io.Discard, out); _ = p.Wait() })
	return p
}

type shownEvent struct {
	Kind    string             `json:"kind"`
	Session bellcord.SessionID `json:"session"`
	Turn    bellcord.TurnID    `json:"turn"`
	Body    json.RawMessage    `json:"body"`
}

// next returns the next event that the process shows; false at the end of its output.
func (p *process) next() (shownEvent, bool) {
	p.t.Helper()
	if !p.lines.Scan() {
		return shownEvent{}, false
	}
	var ev shownEvent
	if err := json.Unmarshal(p.lines.Bytes(), &ev); err != nil {
		p.t.Fatalf("%v in %q", err, p.lines.Text())
	}
	var body struct {
		Text    string           `json:"text"`
		Receipt bellcord.Receipt `json:"receipt"`
	}
	if err := json.Unmarshal(ev.Body, &body); err != nil {
		p.t.Fatal(err)
	}
	switch ev.Kind {
	case "text_delta":
		p.shown.WriteString(body.Text)
	case "turn_ended":
		p.end = &body.Receipt
	}
	return ev, true
}

// until reads events up to the first of the given kind.
func (p *process) until(kind string) shownEvent {
	p.t.Helper()
	for {
		ev, ok := p.next()
		if !ok {
			p.t.Fatalf("it ended before %s: %s", kind, p.errs.String())
		}
		if ev.Kind == kind {
			return ev
		}
	}
}

// drain reads to the end and waits for the process.
func (p *process) drain() {
	for {
		if _, ok := p.next(); !ok {
			break
		}
	}
	_ = p.Wait()
}

// record returns the text and the receipts of a session as the store contains them.
func (w *world) record(session bellcord.SessionID) (text string, ends []bellcord.Receipt) {
	w.t.Helper()
	s := settings{data: w.data}
	err := s.withStore(context.Background(), func(store app.Store) error {
		events, err := store.Events(context.Background(), session, 0, 1<<20)
		for _, ev := range events {
			switch b := ev.Body.(type) {
			case bellcord.TextDelta:
				text += b.Text
			case bellcord.TurnEnded:
				ends = append(ends, b.Receipt)
			}
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return text, ends
}
