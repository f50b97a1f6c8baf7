package acpbridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/acpbridge"
	"github.com/bellcord/bellcord/internal/websocket"
)

// patience is the time limit for everything that a test waits for. The machine
// is shared.
const patience = 30 * time.Second

// slowServer is a server that reads only when a test reads.
type slowServer struct {
	t     *testing.T
	url   string
	conns chan *websocket.Conn
}

func newSlowServer(t *testing.T) *slowServer {
	t.Helper()
	s := &slowServer{t: t, conns: make(chan *websocket.Conn)}
	end := make(chan struct{})
	var first sync.Once
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, acpbridge.MostMessage)
		if err != nil {
			return
		}
		defer conn.Cut()
		s.conns <- conn
		<-end
	}))
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		first.Do(func() { _ = c.(*net.TCPConn).SetReadBuffer(narrow) }) // a larger one takes more of the prompt
		return ctx
	}
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(end) })
	s.url = "ws" + strings.TrimPrefix(server.URL, "http")
	return s
}

// narrow is the size of the buffers of a connection: it is full after a few KiB.
const narrow = 4 << 10

// dialNarrow returns a dialer whose first connection is narrow.
func dialNarrow() func(ctx context.Context, network, address string) (net.Conn, error) {
	var first sync.Once
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			first.Do(func() { err = conn.(*net.TCPConn).SetWriteBuffer(narrow) })
		}
		return conn, err
	}
}

// next returns the next connection of the bridge.
func (s *slowServer) next() *websocket.Conn {
	s.t.Helper()
	select {
	case c := <-s.conns:
		return c
	case <-time.After(patience):
		s.t.Fatal("the bridge did not connect")
		return nil
	}
}

type call struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string `json:"sessionId"`
	} `json:"params"`
}

// read returns the next message of the bridge.
func (s *slowServer) read(c *websocket.Conn) (m call) {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), patience)
	defer done()
	text, _, err := c.Read(ctx)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = json.Unmarshal(text, &m)
	return m
}

func (s *slowServer) write(c *websocket.Conn, format string, args ...any) {
	s.t.Helper()
	ctx, done := context.WithTimeout(s.t.Context(), patience)
	defer done()
	if err := c.Write(ctx, fmt.Appendf(nil, format, args...)); err != nil {
		s.t.Fatal(err)
	}
}

// answer answers the next request.
func (s *slowServer) answer(c *websocket.Conn, method, result string) {
	s.t.Helper()
	m := s.read(c)
	if m.Method != method {
		s.t.Fatalf("received %q, want %s", m.Method, method)
	}
	s.write(c, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// lineReader returns the lines that an editor receives.
func lineReader(t *testing.T, from io.Reader) func() string {
	t.Helper()
	lines := make(chan string, 100)
	go func() {
		scan := bufio.NewScanner(from)
		for scan.Scan() {
			lines <- scan.Text()
		}
		close(lines)
	}()
	return func() string {
		t.Helper()
		select {
		case line := <-lines:
			return line
		case <-time.After(patience):
			t.Fatal("the editor received nothing")
			return ""
		}
	}
}

// A server that does not read fills the connection. The bridge still takes the
// editor's stop, shows updates, and sends the stop on the next connection.
func TestBridge_ServerDoesNotRead_StopIsTakenAndUpdatesAreShown(t *testing.T) {
	t.Parallel()
	s := newSlowServer(t)
	in, editor := io.Pipe()
	shown, out := io.Pipe()
	ended := make(chan error, 1)
	client := &http.Client{Transport: &http.Transport{DialContext: dialNarrow()}}
	go func() {
		ended <- acpbridge.Run(context.Background(), acpbridge.Config{In: in, Out: out, Patience: patience, Dial: func(ctx context.Context) (*websocket.Conn, error) {
			return websocket.Dial(ctx, client, s.url, nil, acpbridge.MostMessage)
		}})
	}()
	next := lineReader(t, shown)
	say := func(text string) {
		t.Helper()
		done := make(chan error, 1)
		go func() {
			_, err := io.WriteString(editor, text+"\n")
			done <- err
		}()
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(patience):
			t.Fatalf("the bridge does not read the editor's %.60s", text)
		}
	}

	first := s.next()
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	s.answer(first, "initialize", `{"protocolVersion":1}`)
	next()
	say(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/"}}`)
	s.answer(first, "session/new", `{"sessionId":"s"}`)
	next()
	say(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"` + strings.Repeat("x", 512<<10) + `"}]}}`)
	say(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
	say(`{"jsonrpc":"2.0","method":"_more","params":{}}`) // it is read after the cancel was taken
	s.write(first, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]},"_meta":{"bellcord/seq":7}}}`)
	if got := next(); !strings.Contains(got, `"bellcord/seq":7`) {
		t.Errorf("the editor received %s", got)
	}

	first.Cut()
	second := s.next()
	s.answer(second, "initialize", `{"protocolVersion":1}`)
	s.answer(second, "session/resume", `{}`)
	s.answer(second, "session/prompt", `{"stopReason":"cancelled"}`)
	s.answer(second, "session/cancel", `{}`)
	if got := next(); !strings.Contains(got, "cancelled") {
		t.Errorf("the editor received %s", got)
	}
	_ = editor.Close()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the bridge did not end")
	}
}
