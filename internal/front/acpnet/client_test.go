package acpnet_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/websocket"
)

type obj = map[string]any

// frame is a message from the server.
type frame struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params obj             `json:"params"`
	Result obj             `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

func (f frame) kind() string {
	update, _ := f.Params["update"].(obj)
	kind, _ := update["sessionUpdate"].(string)
	return kind
}

func (f frame) meta(name string) any {
	meta, _ := f.Params["_meta"].(obj)
	return meta[name]
}

func (f frame) text() string {
	update, _ := f.Params["update"].(obj)
	content, _ := update["content"].(obj)
	text, _ := content["text"].(string)
	return text
}

// wire is a transport of a client. send returns an error after a cut.
type wire interface {
	send(message []byte) error
	cut()
}

// client is the client of a connection. It checks every frame against the
// schema.
type client struct {
	t      *testing.T
	wire   wire
	schema definitions

	mu      sync.Mutex
	ids     int
	methods map[string]string // methods, by request id
	frames  []frame
	over    error // the connection has ended
	grew    chan struct{}
}

func newClient(t *testing.T) *client {
	return &client{t: t, schema: official, methods: map[string]string{}, grew: make(chan struct{})}
}

// dial opens a connection over a transport, "ws" or "http", and initializes it.
func (s *stage) dial(kind, user string) *client {
	s.t.Helper()
	c, err := s.tryDial(kind, user)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.wire.cut)
	return c
}

func (s *stage) tryDial(kind, user string) (*client, error) {
	return s.tryDialWith(newClient(s.t), kind, user, obj{"protocolVersion": 1, "clientCapabilities": obj{}, "clientInfo": obj{"name": "test", "version": "1"}})
}

// dial2 is dial with a client of version 2.
func (s *stage) dial2(kind, user string) *client {
	s.t.Helper()
	c := newClient(s.t)
	c.schema = official2
	c, err := s.tryDialWith(c, kind, user, obj{"protocolVersion": 2, "info": obj{"name": "test", "version": "1"}})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.wire.cut)
	return c
}

// tryDialWith connects a client with the given parameters of initialize.
func (s *stage) tryDialWith(c *client, kind, user string, hello obj) (*client, error) {
	header := http.Header{"Authorization": {"Bearer " + s.tokens[user]}}
	if kind == "http" {
		w := newHTTPWire(c, s.url, header, s.transport())
		c.wire = w
		return c, w.initialize(c.line(c.newID("initialize"), "initialize", hello))
	}
	ctx, done := context.WithTimeout(s.t.Context(), patient)
	defer done()
	ws, err := websocket.Dial(ctx, &http.Client{Transport: s.transport()}, s.url, header, 64<<20)
	if err != nil {
		return nil, err
	}
	c.wire = &socketWire{ws}
	go c.readSocket(ws)
	return c, c.request("initialize", hello).failure()
}

func (f frame) failure() error {
	if f.Error != nil {
		return fmt.Errorf("%d: %s", f.Error.Code, f.Error.Message)
	}
	return nil
}

type socketWire struct{ ws *websocket.Conn }

func (w *socketWire) send(message []byte) error { return w.ws.Write(context.Background(), message) }
func (w *socketWire) cut()                      { w.ws.Cut() }

func (c *client) readSocket(ws *websocket.Conn) {
	for {
		message, _, err := ws.Read(context.Background())
		if err != nil {
			c.end(err)
			return
		}
		c.take(message)
	}
}

// take records a frame.
func (c *client) take(message []byte) {
	var f frame
	err := json.Unmarshal(message, &f)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		err = c.schema.check(f, c.methods[string(f.ID)])
	}
	if err != nil {
		c.t.Errorf("not as the schema has it: %s: %v", message, err)
	}
	c.frames = append(c.frames, f)
	c.changed()
}

func (c *client) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over == nil {
		c.over = err
		c.changed()
	}
}

func (c *client) changed() {
	close(c.grew)
	c.grew = make(chan struct{})
}

func (c *client) newID(method string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids++
	c.methods[fmt.Sprint(c.ids)] = method
	return c.ids
}

// line encodes a request or, with id 0, a notification.
func (c *client) line(id int, method string, params obj) []byte {
	m := obj{"jsonrpc": "2.0", "method": method, "params": params}
	if id > 0 {
		m["id"] = id
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return text
}

// send sends a request and returns its id.
func (c *client) send(method string, params obj) int {
	c.t.Helper()
	id := c.newID(method)
	if err := c.wire.send(c.line(id, method, params)); err != nil {
		c.end(err)
	}
	return id
}

func (c *client) notify(method string, params obj) {
	c.t.Helper()
	if err := c.wire.send(c.line(0, method, params)); err != nil {
		c.t.Error(err)
	}
}

func (c *client) request(method string, params obj) frame {
	c.t.Helper()
	return c.answer(c.send(method, params))
}

var errNever = errors.New("never came")

// find waits for the first frame that matches, the end of the connection or the
// timeout.
func (c *client) find(is func(frame) bool) (frame, int, error) {
	bound := time.NewTimer(patient)
	defer bound.Stop()
	for {
		c.mu.Lock()
		frames, over, grew := c.frames, c.over, c.grew
		c.mu.Unlock()
		for i, f := range frames {
			if is(f) {
				return f, i, nil
			}
		}
		if over != nil {
			return frame{}, 0, over
		}
		select {
		case <-grew:
		case <-bound.C:
			return frame{}, 0, errNever
		}
	}
}

func (c *client) await(what string, is func(frame) bool) frame {
	c.t.Helper()
	f, _, err := c.find(is)
	if err != nil {
		c.t.Fatalf("%s: %v", what, err)
	}
	return f
}

func isAnswer(id int) func(frame) bool {
	return func(f frame) bool { return f.Method == "" && string(f.ID) == fmt.Sprint(id) }
}

func (c *client) answer(id int) frame {
	c.t.Helper()
	return c.await(fmt.Sprintf("the answer to %d", id), isAnswer(id))
}

// seen returns the frames so far.
func (c *client) seen() []frame {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.frames
}

func (c *client) newSession(meta obj) string {
	c.t.Helper()
	params := obj{"cwd": "/", "mcpServers": []any{}}
	if meta != nil {
		params["_meta"] = meta
	}
	f := c.request("session/new", params)
	if f.Error != nil {
		c.t.Fatalf("session/new: %+v", f.Error)
	}
	return f.Result["sessionId"].(string)
}

func prompt(session, text, turn string) obj {
	p := obj{"sessionId": session, "prompt": []obj{{"type": "text", "text": text}}}
	if turn != "" {
		p["_meta"] = obj{"bellcord/turn": turn}
	}
	return p
}

func reopening(session string, meta obj) obj {
	p := obj{"sessionId": session, "cwd": "/", "mcpServers": []any{}}
	if meta != nil {
		p["_meta"] = meta
	}
	return p
}

// awaitText waits for a piece of the agent's answer.
func (c *client) awaitText(text string) {
	c.t.Helper()
	c.await("the text "+text, func(f frame) bool { return f.kind() == "agent_message_chunk" && strings.Contains(f.text(), text) })
}

// httpWire is the HTTP transport.
type httpWire struct {
	client     *client
	url        string
	header     http.Header
	http       *http.Client
	connection string

	mu      sync.Mutex
	conns   []net.Conn
	streams map[string]bool
	isCut   bool
}

func newHTTPWire(c *client, url string, header http.Header, t *http.Transport) *httpWire {
	w := &httpWire{client: c, url: url, header: header, http: &http.Client{Transport: t}, streams: map[string]bool{}}
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.isCut {
			_ = conn.Close()
			return nil, net.ErrClosed
		}
		w.conns = append(w.conns, conn)
		return conn, nil
	}
	return w
}

// do sends a request of the transport and returns its response.
func (w *httpWire) do(method, session string, body []byte, change ...func(*http.Request)) (*http.Response, error) {
	r, err := http.NewRequestWithContext(context.Background(), method, w.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = w.header.Clone()
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodGet {
		r.Header.Set("Accept", "text/event-stream")
	}
	if w.connection != "" {
		r.Header.Set("Acp-Connection-Id", w.connection)
	}
	if session != "" {
		r.Header.Set("Acp-Session-Id", session)
	}
	for _, one := range change {
		one(r)
	}
	return w.http.Do(r)
}

func (w *httpWire) initialize(message []byte) error {
	res, err := w.do(http.MethodPost, "", message)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	w.connection = res.Header.Get("Acp-Connection-Id")
	if err != nil || res.StatusCode != http.StatusOK || w.connection == "" {
		return fmt.Errorf("initialize: %d %s, %w", res.StatusCode, body, err)
	}
	w.client.take(body)
	return w.open("")
}

// open opens a stream unless it is open, and returns when its headers arrived.
func (w *httpWire) open(session string) error {
	w.mu.Lock()
	had := w.streams[session]
	w.streams[session] = true
	w.mu.Unlock()
	if had {
		return nil
	}
	res, err := w.do(http.MethodGet, session, nil)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		_ = res.Body.Close()
		return fmt.Errorf("stream: %d", res.StatusCode)
	}
	go func() {
		defer res.Body.Close()
		lines := bufio.NewReaderSize(res.Body, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				w.client.end(fmt.Errorf("stream %q: %w", session, err))
				return
			}
			if message, is := bytes.CutPrefix(line, []byte("data: ")); is {
				w.client.take(message)
			}
		}
	}()
	return nil
}

func (w *httpWire) send(message []byte) error {
	var m struct {
		Params struct{ SessionID string }
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return err
	}
	session := m.Params.SessionID
	if session != "" {
		if err := w.open(session); err != nil {
			return err
		}
	}
	res, err := w.do(http.MethodPost, session, message)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusAccepted {
		return fmt.Errorf("POST: %d %s", res.StatusCode, body)
	}
	return nil
}

// cut closes every TCP connection without a word.
func (w *httpWire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = true
	for _, conn := range w.conns {
		if tcp, is := conn.(*net.TCPConn); is {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
}
