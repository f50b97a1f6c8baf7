package peers_test

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// wire is a direct connection to Bellcord's stdin and stdout.
type wire struct {
	*rig
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	lastID int
}

func (r *rig) wire() *wire {
	r.Helper()
	w := &wire{rig: r, cmd: r.command(r.agent...)}
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		r.Fatal(err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		r.Fatal(err)
	}
	w.out = bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { _ = w.in.Close() })
	return w
}

// close closes the agent's input and waits until it has exited.
func (w *wire) close() {
	w.Helper()
	_ = w.in.Close()
	if _, err := io.Copy(io.Discard, w.out); err != nil {
		w.Error(err)
	}
	if err := w.cmd.Wait(); err != nil {
		w.Error(err)
	}
}

// request returns a frame with the next id.
func (w *wire) request(method string, params any) string {
	w.Helper()
	w.lastID++
	return asJSON(w.T, map[string]any{"jsonrpc": "2.0", "id": w.lastID, "method": method, "params": params}) + "\n"
}

// send writes text in one call.
func (w *wire) send(text string) {
	w.Helper()
	if _, err := io.WriteString(w.in, text); err != nil {
		w.Fatal(err)
	}
}

// until reads up to the first message for which is returns true.
func (w *wire) until(is func(message) bool) message {
	w.Helper()
	for {
		line, err := w.out.ReadString('\n')
		if err != nil {
			w.Fatalf("reading the agent: %v", err)
		}
		m, err := understand(frame{At: time.Now(), From: "agent", Text: strings.TrimSpace(line)})
		if err != nil {
			w.Fatal(err)
		}
		if is(m) {
			return m
		}
	}
}

// answer returns the next answer to any request.
func (w *wire) answer() message { return w.until(message.isAnswer) }

func (w *wire) roundTrip(method string, params any) message {
	w.Helper()
	w.send(w.request(method, params))
	m := w.answer()
	if string(m.ID) != fmt.Sprint(w.lastID) {
		w.Fatalf("not the answer to %d: %v", w.lastID, m)
	}
	return m
}

func (w *wire) session() string {
	w.Helper()
	m := w.roundTrip("session/new", map[string]any{"cwd": w.path("work"), "mcpServers": []any{}})
	if m.Error != nil {
		w.Fatal(m)
	}
	return m.params.SessionID
}

func promptOf(session, text string) map[string]any {
	return map[string]any{"sessionId": session, "prompt": []any{map[string]string{"type": "text", "text": text}}}
}
