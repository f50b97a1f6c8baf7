package jsonrpc_test

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// serveInput serves an input to its end and returns the messages that were handled,
// and the lines that were written.
func serveInput(t *testing.T, in io.Reader) (handled []jsonrpc.Message, sent []string) {
	t.Helper()
	var out strings.Builder
	err := jsonrpc.New(in, &out).Serve(func(m jsonrpc.Message) { handled = append(handled, m) }, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		sent = strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	}
	return handled, sent
}

// peer is the other end of a connection that is being served.
type peer struct {
	t      *testing.T
	conn   *jsonrpc.Conn
	wire   *io.PipeWriter
	lines  *bufio.Reader
	served chan error
}

// dial serves a connection until the test ends. handle may be nil.
func dial(t *testing.T, handle func(*jsonrpc.Conn, jsonrpc.Message)) *peer {
	t.Helper()
	in, wire := io.Pipe()
	out, answers := io.Pipe()
	p := &peer{t: t, conn: jsonrpc.New(in, answers), wire: wire, lines: bufio.NewReader(out), served: make(chan error, 1)}
	go func() {
		p.served <- p.conn.Serve(func(m jsonrpc.Message) {
			if handle != nil {
				handle(p.conn, m)
			}
		}, func() {})
	}()
	t.Cleanup(func() {
		_ = p.wire.Close()
		_ = out.Close()
		if err := <-p.served; err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *peer) write(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.wire, text); err != nil {
		p.t.Fatal(err)
	}
}

// next returns the next line that was written.
func (p *peer) next() string {
	p.t.Helper()
	line, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// code returns the error code and the id of a response. The code is 0 if it is
// not an error.
func code(t *testing.T, line string) (int, string) {
	t.Helper()
	var m struct {
		ID    json.RawMessage
		Error struct{ Code int }
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return m.Error.Code, string(m.ID)
}
