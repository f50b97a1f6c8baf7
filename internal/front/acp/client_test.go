package acp_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

type obj = map[string]any

// script is an agent made from a function.
type script func(ctx context.Context, w *hub.Work) error

func (s script) Run(ctx context.Context, w *hub.Work) error { return s(ctx, w) }

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

// editor is the client's end of the connection, with one session open.
type editor struct {
	t       *testing.T
	hub     *hub.Hub
	store   store.Store
	wire    *io.PipeWriter
	served  chan error
	dir     string
	session string
	schema  definitions // of the negotiated version
	ids     int

	extra    obj           // members that the client adds to its messages
	patience time.Duration // longest wait for a frame; 0 is an hour of the fake clock

	mu      sync.Mutex
	methods map[string]string // methods, by request id
	frames  []frame
	grew    chan struct{}
}

// edit runs play with an editor connected to a server on a real store, under a
// fake clock. When it returns, the server has ended.
func edit(t *testing.T, agent script, change func(*acp.Config), play func(t *testing.T, e *editor)) {
	t.Helper()
	editIn(t, official, agent, change, play)
}

// editIn is edit in the version of the protocol that a schema describes.
func editIn(t *testing.T, schema definitions, agent script, change func(*acp.Config), play func(t *testing.T, e *editor)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		hub, err := hub.Open(t.Context(), store, agent, hub.Options{Sweep: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		config := acp.Config{
			Version: "test", Model: "fake/one", Models: []string{"fake/one", "fake/two"}, Mode: "ask",
			Logger: slog.New(slog.DiscardHandler),
		}
		if change != nil {
			change(&config)
		}
		e := &editor{t: t, hub: hub, store: store, dir: dir, schema: schema, grew: make(chan struct{}), served: make(chan error, 1)}
		e.connect(config, e.open)
		e.hello()
		t.Cleanup(func() {
			_ = e.wire.Close()
			if err := errors.Join(<-e.served, hub.Close(context.Background()), store.Close()); err != nil {
				t.Error(err)
			}
		})
		e.session = e.request("session/new", obj{"cwd": dir, "mcpServers": []any{}}).Result["sessionId"].(string)
		play(t, e)
		synctest.Wait() // replies from the editor are sent before the wire is closed
	})
}

func (e *editor) open() (*hub.Hub, error) { return e.hub, nil }

func (e *editor) connect(config acp.Config, open func() (*hub.Hub, error)) {
	if e.schema.params == nil {
		e.schema = official
	}
	in, wire := io.Pipe()
	out, answers := io.Pipe()
	e.wire = wire
	go func() {
		err := acp.Serve(in, answers, open, config)
		_ = answers.Close()
		e.served <- err
	}()
	go e.read(out)
}

func (e *editor) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var f frame
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			e.t.Errorf("not a frame: %s: %v", lines.Text(), err)
		}
		e.mu.Lock()
		if err := e.schema.check(f, e.methods[string(f.ID)]); err != nil {
			e.t.Errorf("not as the schema has it: %s: %v", lines.Text(), err)
		}
		e.frames = append(e.frames, f)
		close(e.grew)
		e.grew = make(chan struct{})
		e.mu.Unlock()
	}
}

// line encodes a request or, with id 0, a notification.
func line(id int, method string, params obj) string { return lineWith(nil, id, method, params) }

// lineWith is line with more members.
func lineWith(extra obj, id int, method string, params obj) string {
	m := obj{"jsonrpc": "2.0", "method": method, "params": params}
	if id > 0 {
		m["id"] = id
	}
	maps.Copy(m, extra)
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

func (e *editor) write(text string) {
	e.t.Helper()
	if _, err := io.WriteString(e.wire, text); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) newID() int { e.ids++; return e.ids }

// send sends a request and returns its id.
func (e *editor) send(method string, params obj) int {
	e.t.Helper()
	id := e.newID()
	e.mu.Lock()
	if e.methods == nil {
		e.methods = map[string]string{}
	}
	e.methods[fmt.Sprint(id)] = method
	e.mu.Unlock()
	e.write(lineWith(e.extra, id, method, params))
	return id
}

func (e *editor) notify(method string, params obj) { e.t.Helper(); e.write(line(0, method, params)) }

// request sends a request and waits for its reply.
func (e *editor) request(method string, params obj) frame {
	e.t.Helper()
	return e.answer(e.send(method, params))
}

func (e *editor) prompt(text string) int {
	e.t.Helper()
	return e.send("session/prompt", e.saying(text))
}

func (e *editor) saying(text string) obj {
	return obj{"sessionId": e.session, "prompt": []obj{{"type": "text", "text": text}}}
}

func (e *editor) here() obj { return obj{"sessionId": e.session} }

// await waits for the first frame that matches and returns it with its index.
func (e *editor) await(what string, is func(frame) bool) (frame, int) {
	e.t.Helper()
	bound := time.After(cmp.Or(e.patience, time.Hour))
	for {
		e.mu.Lock()
		frames, grew := e.frames, e.grew
		e.mu.Unlock()
		for i, f := range frames {
			if is(f) {
				return f, i
			}
		}
		select {
		case <-grew:
		case <-bound:
			e.t.Fatalf("never came: %s", what)
		}
	}
}

func (e *editor) answer(id int) frame { e.t.Helper(); f, _ := e.answerAt(id); return f }

func (e *editor) answerAt(id int) (frame, int) {
	e.t.Helper()
	return e.await(fmt.Sprintf("the answer to %d", id), func(f frame) bool { return f.Method == "" && string(f.ID) == fmt.Sprint(id) })
}
