//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

// Law 15: the reader of stdout exits while a command prints. The turn is stopped, and its
// processes end before the program does.
func TestLaw15_StdoutClosed_StopsTurnAndEndsProcesses(t *testing.T) {
	t.Parallel()
	prompt := func(token string) string {
		return `[tool shell {"command":` + strconv.Quote("setsid sleep "+token+" & while :; do printf %sck\\n ti; sleep 0.01; done") + `}]`
	}
	for name, start := range map[string]func(w *world, token string) (*exec.Cmd, *bufio.Scanner, func()){
		"run": func(w *world, token string) (*exec.Cmd, *bufio.Scanner, func()) {
			cmd := w.bellcord("run", "--json", "--mode", "full", prompt(token))
			lines, closeOut := w.startPiped(cmd)
			return cmd, lines, closeOut
		},
		"acp": func(w *world, token string) (*exec.Cmd, *bufio.Scanner, func()) {
			cmd := w.bellcord("acp", "--mode", "full")
			in, err := cmd.StdinPipe()
			if err != nil {
				w.t.Fatal(err)
			}
			w.t.Cleanup(func() { _ = in.Close() }) // stays open: only stdout is closed
			lines, closeOut := w.startPiped(cmd)
			w.promptInEditor(in, lines, prompt(token))
			return cmd, lines, closeOut
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			token := strconv.FormatInt(80_000_000+rand.Int64N(1_000_000), 10)
			cmd, lines, closeOut := start(w, token)
			session := bellcord.SessionID("")
			for !strings.Contains(lines.Text(), "tick") {
				if !lines.Scan() {
					t.Fatal("the command printed nothing")
				}
				session = sessionIn(lines.Bytes())
			}
			closeOut()
			err := cmd.Wait()
			if !cmd.ProcessState.Exited() {
				t.Errorf("the program ended by a signal: %v", err)
			}
			if alive := sleepers(t, token); len(alive) > 0 {
				t.Errorf("%v outlived the program", alive)
			}
			_, ends := w.record(session)
			if len(ends) != 1 || ends[0].End != bellcord.EndStopped || ends[0].Cause.Kind != bellcord.CauseDisconnect {
				t.Errorf("the turn ended with %+v", ends)
			}
		})
	}
}

// startPiped starts a command and returns the lines of its output, and a function that closes the
// reading end of it.
func (w *world) startPiped(cmd *exec.Cmd) (lines *bufio.Scanner, closeOut func()) {
	w.t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines = bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return lines, func() { _ = out.Close() }
}

// promptInEditor sends a prompt in a new session and does not wait for its answer.
func (w *world) promptInEditor(in io.Writer, lines *bufio.Scanner, text string) {
	w.t.Helper()
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", w.dir)
	var made struct {
		ID     int `json:"id"`
		Result struct {
			Session string `json:"sessionId"`
		} `json:"result"`
	}
	for made.ID != 2 {
		if !lines.Scan() {
			w.t.Fatal("no session")
		}
		if err := json.Unmarshal(lines.Bytes(), &made); err != nil {
			w.t.Fatal(err)
		}
	}
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%s}]}}`+"\n",
		made.Result.Session, strconv.Quote(text))
}

// sessionIn returns the session of an event or an update.
func sessionIn(line []byte) bellcord.SessionID {
	var m struct {
		Session bellcord.SessionID `json:"session"`
		Params  struct {
			Session bellcord.SessionID `json:"sessionId"`
		} `json:"params"`
	}
	_ = json.Unmarshal(line, &m)
	return m.Session + m.Params.Session
}
