package acpnet_test

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/websocket"
)

func TestHTTP_WrongRequest_IsRefusedWithItsStatus(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.dial("http", "anna")
	w := c.wire.(*httpWire)
	session := c.newSession(nil)
	other := s.dial("http", "bert").wire.(*httpWire).connection
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) {
			if r.Header.Del(name); value != "" {
				r.Header.Set(name, value)
			}
		}
	}
	ask := func(method string, params obj) []byte { return c.line(c.newID(method), method, params) }
	for _, test := range []struct {
		name, method, session string
		body                  []byte
		change                func(*http.Request)
		want                  int
	}{
		{"no content type", "POST", "", ask("session/list", obj{}), set("Content-Type", ""), 415},
		{"no JSON", "POST", "", []byte("{"), nil, 400},
		{"a number", "POST", "", []byte("1"), nil, 400},
		{"a batch", "POST", "", []byte("[{}]"), nil, 400},
		{"initialize again", "POST", "", ask("initialize", obj{"protocolVersion": 1}), nil, 400},
		{"no connection", "POST", "", ask("session/list", obj{}), set("Acp-Connection-Id", ""), 400},
		{"an unknown connection", "POST", "", ask("session/list", obj{}), set("Acp-Connection-Id", "x"), 404},
		{"another owner's connection", "POST", "", ask("session/list", obj{}), set("Acp-Connection-Id", other), 404},
		{"no session header", "POST", "", ask("session/prompt", prompt(session, "say x", "")), nil, 400},
		{"another session header", "POST", "x", ask("session/prompt", prompt(session, "say x", "")), nil, 400},
		{"too large", "POST", "", bytes.Repeat([]byte(" "), 16<<20+1), nil, 413},
		{"too deep", "POST", "", []byte(strings.Repeat("[", 100)), nil, 422},
		{"a stream without accept", "GET", "", nil, set("Accept", "application/json"), 406},
		{"a stream without connection", "GET", "", nil, set("Acp-Connection-Id", ""), 400},
		{"a stream of an unknown connection", "GET", "", nil, set("Acp-Connection-Id", "x"), 404},
		{"a second reader", "GET", "", nil, nil, 409},
		{"another method", "PUT", "", nil, nil, 405},
		{"the end of an unknown connection", "DELETE", "", nil, set("Acp-Connection-Id", "x"), 404},
		{"the end of another owner's connection", "DELETE", "", nil, set("Acp-Connection-Id", other), 404},
	} {
		change := test.change
		if change == nil {
			change = func(*http.Request) {}
		}
		res, err := w.do(test.method, test.session, test.body, change)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != test.want {
			t.Errorf("%s: %d %s, want %d", test.name, res.StatusCode, body, test.want)
		}
	}
}

func TestHTTP_CancelAfterThePromptsResponse_StopsIt(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.dial("http", "anna")
	session := c.newSession(nil)
	for range 20 {
		id := c.send("session/prompt", prompt(session, "hang on", "")) // returns when the POST is answered
		c.notify("session/cancel", obj{"sessionId": session})
		if f := c.answer(id); f.Result["stopReason"] != "cancelled" {
			t.Fatalf("answered %+v", f)
		}
	}
}

func TestLaw02_CancelRequestBeforeItsPromptOverHTTP_RunsNoAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	c := s.dial("http", "anna")
	session := c.newSession(nil)
	id := c.newID("session/prompt")
	c.notify("$/cancel_request", obj{"requestId": id})
	if err := c.wire.send(c.line(id, "session/prompt", prompt(session, "hang on", ""))); err != nil {
		t.Fatal(err)
	}
	if f := c.answer(id); f.Result["stopReason"] != "cancelled" {
		t.Errorf("answered %+v", f)
	}
	if f := c.request("session/prompt", prompt(session, "say next", "")); f.Result["stopReason"] != "end_turn" || s.ran() != 1 {
		t.Errorf("the next was answered %+v; the agent ran %d times", f, s.ran())
	}
}

func TestHTTP_IdleConnection_IsReleased(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.Idle = 50 * time.Millisecond })
	c := newClient(t)
	w := newHTTPWire(c, s.url, http.Header{"Authorization": {"Bearer " + s.tokens["anna"]}}, s.transport())
	c.wire = w
	if err := w.initialize(c.line(c.newID("initialize"), "initialize", obj{"protocolVersion": 1})); err != nil {
		if strings.Contains(err.Error(), "404") {
			return // released before its stream was opened: the machine is busy
		}
		t.Fatal(err)
	}
	w.http.CloseIdleConnections()
	w.cut() // its stream ends
	fresh := newHTTPWire(c, s.url, w.header, s.transport())
	fresh.connection = w.connection
	deadline := time.Now().Add(patient)
	for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
		// A request with a wrong header does not count as use.
		res, err := fresh.do(http.MethodPost, "x", []byte(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"y"}}`))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode == http.StatusNotFound {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("it is still there")
		}
	}
}

func TestStream_Quiet_GetsKeepAliveComments(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.KeepAlive = 10 * time.Millisecond })
	c := s.dial("http", "anna")
	w := c.wire.(*httpWire)
	res, err := w.do(http.MethodGet, "some-session", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	line, err := bufio.NewReader(res.Body).ReadString('\n')
	if err != nil || line != ":\n" || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("got %q, %v, %v", line, res.Header, err)
	}
}

func TestConnections_OneTooMany_IsRefused(t *testing.T) {
	t.Parallel()
	each(t, func(with *setup) { with.MostPerToken = 2 }, func(t *testing.T, s *stage, kind string) {
		first := s.dial(kind, "anna")
		s.dial(kind, "anna")
		if c, err := s.tryDial(kind, "anna"); err == nil || !strings.Contains(err.Error(), "429") {
			t.Errorf("a third: %v, %v", c, err)
		}
		s.dial(kind, "reader") // another token
		if w, is := first.wire.(*httpWire); is {
			res, err := w.do(http.MethodDelete, "", nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
		}
		first.wire.cut()
		deadline := time.Now().Add(patient)
		for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C {
			if c, err := s.tryDial(kind, "anna"); err == nil {
				c.wire.cut()
				return
			}
			if time.Now().After(deadline) {
				t.Fatal("the connection still counts")
			}
		}
	})
}

func TestSocket_TooLargeOrTooDeepMessage_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.MostMessage = 2 << 20 })
	c := s.dial("ws", "anna")
	if f := c.answerNull(strings.Repeat("[", 100)); f.Error == nil || f.Error.Code != -32602 {
		t.Errorf("answered %+v", f)
	}
	go func() { _ = c.wire.send(bytes.Repeat([]byte(" "), 2<<20+1)) }()
	if _, _, err := c.find(func(frame) bool { return false }); websocket.CloseStatus(err) != websocket.TooLarge {
		t.Errorf("it ended with %v", err)
	}
}

// The limit is that of prompts, but not every message is one.
func TestSocket_LongTextInAnyRequest_IsRefusedAsALongMessage(t *testing.T) {
	t.Parallel()
	c := newStage(t, nil).dial("ws", "anna")
	f := c.request("session/list", obj{"cursor": strings.Repeat("x", 3<<19)})
	if f.Error == nil || f.Error.Code != -32602 || !strings.Contains(f.Error.Message, "the message has more than 1.25 MiB") {
		t.Errorf("answered %+v", f.Error)
	}
}

// answerNull sends a text and waits for an answer without an id.
func (c *client) answerNull(text string) frame {
	c.t.Helper()
	if err := c.wire.send([]byte(text)); err != nil {
		c.t.Fatal(err)
	}
	return c.await("an error", func(f frame) bool { return f.Method == "" && string(f.ID) == "null" || f.Method == "" && f.ID == nil })
}

func TestSocket_RequestBeforeInitialize_IsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	ws, err := websocket.Dial(t.Context(), &http.Client{}, s.url, http.Header{"Authorization": {"Bearer " + s.tokens["anna"]}}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Cut()
	if err := ws.Write(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}`)); err != nil {
		t.Fatal(err)
	}
	if message, _, err := ws.Read(t.Context()); err != nil || !strings.Contains(string(message), "-32600") {
		t.Errorf("answered %s, %v", message, err)
	}
}

func TestSlowReader_OfAStream_IsDisconnectedAndTheTurnGoesOn(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(with *setup) { with.Stall, with.MostPerToken = 200*time.Millisecond, 1 })
	conn := s.raw("anna")
	_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	send := func(id int, method string, params obj) {
		writeAll(t, conn, maskedFrame(newClient(t).line(id, method, params)))
	}
	send(1, "initialize", obj{"protocolVersion": 1})
	send(2, "session/new", obj{"cwd": "/", "mcpServers": []any{}})
	in := bufio.NewReader(conn)
	session := ""
	for session == "" {
		text := readFrame(t, in)
		if _, after, found := strings.Cut(text, `"sessionId":"`); found {
			session, _, _ = strings.Cut(after, `"`)
		}
	}
	turn := string(bellcord.NewTurnID())
	send(3, "session/prompt", prompt(session, "flood 800", turn)) // 8 MB, of which nothing is read
	if r := s.turn(turn); r.End != bellcord.EndDone {
		t.Errorf("it ended %+v", r)
	}
	deadline := time.Now().Add(patient)
	for tick := time.NewTicker(5 * time.Millisecond); ; <-tick.C { // the token may have one connection
		if c, err := s.tryDial("ws", "anna"); err == nil {
			c.wire.cut()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the connection is still open")
		}
	}
}

// A prompt and its cancel in one write: the turn is stopped, and the agent never
// runs.
func TestLaw02_PromptAndCancelInOneWebSocketWrite_RunsNoAgent(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	conn := s.raw("anna")
	in := bufio.NewReader(conn)
	c := newClient(t)
	writeAll(t, conn, append(maskedFrame(c.line(1, "initialize", obj{"protocolVersion": 1})), maskedFrame(c.line(2, "session/new", obj{"cwd": "/", "mcpServers": []any{}}))...))
	session := ""
	for session == "" {
		if _, after, found := strings.Cut(readFrame(t, in), `"sessionId":"`); found {
			session, _, _ = strings.Cut(after, `"`)
		}
	}
	const races = 100
	for i := range races {
		id := 10 + i
		both := append(maskedFrame(c.line(id, "session/prompt", prompt(session, "hang on", ""))), maskedFrame(c.line(0, "session/cancel", obj{"sessionId": session}))...)
		writeAll(t, conn, both)
		for {
			text := readFrame(t, in)
			if strings.Contains(text, fmt.Sprintf(`"id":%d,`, id)) {
				if !strings.Contains(text, `"stopReason":"cancelled"`) {
					t.Fatalf("answered %s", text)
				}
				break
			}
		}
	}
	if s.ran() != 0 {
		t.Errorf("the agent ran %d times", s.ran())
	}
	t.Logf("%d races: %d lost", races, s.ran())
}

// raw opens a WebSocket connection by hand, so that a test decides what is in a
// write.
func (s *stage) raw(user string) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	key := make([]byte, 16)
	_, _ = rand.Read(key)
	writeAll(s.t, conn, fmt.Appendf(nil, "GET /acp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
		conn.RemoteAddr(), s.tokens[user]))
	head := make([]byte, 0, 512)
	for one := make([]byte, 1); !bytes.HasSuffix(head, []byte("\r\n\r\n")); {
		if _, err := conn.Read(one); err != nil {
			s.t.Fatal(err)
		}
		head = append(head, one[0])
	}
	if !bytes.Contains(head, []byte(" 101 ")) || !bytes.Contains(head, []byte("Acp-Connection-Id: ")) {
		s.t.Fatalf("answered %s", head)
	}
	return conn
}

func writeAll(t *testing.T, conn net.Conn, data []byte) {
	t.Helper()
	if _, err := conn.Write(data); err != nil {
		t.Fatal(err)
	}
}

// maskedFrame returns a text frame with a mask of zeros.
func maskedFrame(text []byte) []byte {
	head := []byte{0x81, 0x80 | 126}
	head = binary.BigEndian.AppendUint16(head, uint16(len(text))) //nolint:gosec // the texts are short
	return append(append(head, 0, 0, 0, 0), text...)
}

// readFrame returns the text of the next text frame.
func readFrame(t *testing.T, in *bufio.Reader) string {
	t.Helper()
	for {
		head := make([]byte, 2)
		if _, err := io.ReadFull(in, head); err != nil {
			t.Fatal(err)
		}
		size := uint64(head[1] & 0x7f)
		if size >= 126 {
			more := make([]byte, map[uint64]int{126: 2, 127: 8}[size])
			if _, err := io.ReadFull(in, more); err != nil {
				t.Fatal(err)
			}
			size = 0
			for _, b := range more {
				size = size<<8 | uint64(b)
			}
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(in, text); err != nil {
			t.Fatal(err)
		}
		if head[0]&0x0f == 1 {
			return string(text)
		}
	}
}
