package laws_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/store"
)

// stage is a complete Bellcord with one session and one viewer, under a fake
// clock.
type stage struct {
	*hub.Hub
	t       *testing.T
	dir     string         // directory of the session, and of a file-based store
	home    home           // opens the stage's store
	network *server.Server // connects the nodes if there may be several
	nodes   []*node        // the node that runs the turns, then, if present, the node that receives stops
	format  string         // wire format of the session's model
	agent   *react.Agent
	store   *gate
	model   *fakemodel.Server
	session bellcord.SessionID
	base    int            // requests that the model received before the scene
	ran     counter        // number of completed runs by tool
	origin  origin         // origin of the scene's stop; the core by default
	web     *served        // set once served
	editor  *io.PipeWriter // set once an editor is connected

	viewing sync.WaitGroup

	mu   sync.Mutex
	seen []bellcord.Event // events that the viewer received since the start
	grew chan struct{}
}

// onStage runs a scene under a fake clock. The synctest bubble checks part of
// law 18: it fails if a goroutine remains.
func onStage(t *testing.T, play func(s *stage)) {
	t.Helper()
	onStageIn(t, "chat", play)
}

// onStageIn is onStage with a model that uses the given wire format.
func onStageIn(t *testing.T, format string, play func(s *stage)) {
	t.Helper()
	onStageAt(t, setting{format: format, dir: t.TempDir()}, play)
}

func newStage(t *testing.T, home home, at setting) *stage {
	t.Helper()
	store, err := home(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{
		t: t, dir: at.dir, home: home, format: at.format, store: &gate{Store: store}, model: fakemodel.New(), origin: at.from,
		grew: make(chan struct{}), ran: counter{n: map[string]int{}},
	}
	if at.ground.shared {
		s.network = openNetwork(t)
	}
	client, closePipe := s.model.Pipe()
	providers := providersOn("http://fake", client)
	s.agent = &react.Agent{
		Model: func(name string) (react.Model, error) {
			of, model, _ := strings.Cut(name, "/")
			return react.Model{Model: llm.Patient{Model: providers[of]}, Name: model, Window: 20_000}, nil
		},
		Tools: s.tools(),
	}
	s.Hub = s.openNode(store, s.store, s.network, hub.Options{Sweep: at.sweep()}).Hub
	made, err := s.NewSession(t.Context(), bellcord.Session{Dir: at.dir, Owner: by.By, Model: at.format + "/fake"})
	if err != nil {
		t.Fatal(err)
	}
	s.session = made.ID
	s.viewing.Go(func() { s.view(made.ID) })
	t.Cleanup(func() {
		s.store.open()
		s.closeNodes()
		if s.ran.of("deaf") > 0 {
			<-time.After(2 * time.Hour) // an abandoned agent ends later
		}
		for _, p := range providers {
			p.Close()
		}
		closePipe()
		if err := s.closeStores(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// view follows a session's log until the hub closes.
func (s *stage) view(session bellcord.SessionID) {
	cursor, err := s.Events(context.Background(), session, 0)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer cursor.Close()
	for {
		events, err := cursor.Next(context.Background())
		if err != nil {
			if !errors.Is(err, bellcord.ErrClosed) {
				s.t.Error(err)
			}
			return
		}
		s.mu.Lock()
		if session == s.session {
			s.seen = append(s.seen, events...)
		}
		close(s.grew)
		s.grew = make(chan struct{})
		s.mu.Unlock()
	}
}

// await returns when the viewer has received an event of the turn that matches
// is.
func (s *stage) await(turn bellcord.TurnID, is func(bellcord.Body) bool) {
	s.t.Helper()
	bound := time.After(time.Hour)
	for {
		s.mu.Lock()
		grew := s.grew
		for _, ev := range s.seen {
			if ev.Turn == turn && is(ev.Body) {
				s.mu.Unlock()
				return
			}
		}
		s.mu.Unlock()
		select {
		case <-grew:
		case <-bound:
			s.t.Fatal("the turn never came to the cut point")
		}
	}
}

// send sends a prompt with the given turn id.
func (s *stage) send(id bellcord.TurnID, text string) *hub.Turn {
	s.t.Helper()
	return s.sendPrompt(bellcord.Prompt{Turn: id, Text: text})
}

func (s *stage) sendPrompt(p bellcord.Prompt) *hub.Turn {
	s.t.Helper()
	turn, err := s.Prompt(s.session, p)
	if err != nil {
		s.t.Fatal(err)
	}
	return turn
}

// done sends a prompt and requires that it ends normally.
func (s *stage) done(text string) bellcord.Receipt {
	s.t.Helper()
	turn := s.send("", text)
	<-turn.Settled()
	if r := turn.Receipt(); r.End != bellcord.EndDone {
		s.t.Errorf("the next turn ended %s (%s), want done; model rejected %v", r.End, r.Error, s.model.Rejections())
	}
	return turn.Receipt()
}

// ended waits for the turn's stored receipt and returns it.
func (s *stage) ended(id bellcord.TurnID) bellcord.Receipt {
	s.t.Helper()
	s.await(id, func(b bellcord.Body) bool { _, is := b.(bellcord.TurnEnded); return is })
	record, err := s.Turn(s.t.Context(), id)
	if err != nil || record.Receipt == nil {
		s.t.Fatalf("no receipt on record: %v", err)
	}
	return *record.Receipt
}

// bodies returns the stored events of a turn.
func (s *stage) bodies(id bellcord.TurnID) []bellcord.Body {
	s.t.Helper()
	events, err := s.store.Events(s.t.Context(), s.session, 0, 1<<20)
	if err != nil {
		s.t.Fatal(err)
	}
	var of []bellcord.Body
	for _, ev := range events {
		if ev.Turn == id {
			of = append(of, ev.Body)
		}
	}
	return of
}

func (s *stage) history() []bellcord.Message {
	s.t.Helper()
	h, err := history.Read(s.t.Context(), s.store, s.session)
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

// tools returns fake tools that count their runs: one that returns at once, one
// that works until it is stopped, one that needs approval, and one that ignores
// cancellation.
func (s *stage) tools() []tool.Tool {
	made := func(name string, run func(context.Context, tool.Call) tool.Result) tool.Tool {
		return tool.Tool{
			Tool:  llm.Tool{Name: name, Description: name, Schema: json.RawMessage(`{"type":"object"}`)},
			Check: func(json.RawMessage) error { return nil },
			Run: func(ctx context.Context, c tool.Call) tool.Result {
				s.ran.add(name)
				return run(ctx, c)
			},
		}
	}
	quick := made("quick", func(context.Context, tool.Call) tool.Result {
		return tool.Result{Text: "quick is done", Fate: bellcord.CallFinished}
	})
	works := func(ctx context.Context, c tool.Call) tool.Result {
		c.Output("half of the work\n")
		<-ctx.Done()
		return tool.Result{Text: history.ResultText(bellcord.CallStopped, "half of the work\n"), Fate: bellcord.CallStopped}
	}
	guarded := made("guarded", works)
	guarded.Question = func(json.RawMessage) string { return "May I?" }
	deaf := made("deaf", func(_ context.Context, c tool.Call) tool.Result {
		c.Output("not listening\n")
		<-time.After(time.Hour)
		return tool.Result{Text: "done at last", Fate: bellcord.CallFinished}
	})
	safe := made("safe", works)
	safe.Safe = true
	return []tool.Tool{quick, made("works", works), guarded, deaf, safe}
}

type counter struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counter) add(name string) {
	c.mu.Lock()
	c.n[name]++
	c.mu.Unlock()
}

func (c *counter) of(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[name]
}

// gate is the real store with a gate that can block chosen ops.
type gate struct {
	store.Store
	mu    sync.Mutex
	stops func(store.Op) bool
	held  chan struct{} // closed when an op is blocked
	pass  chan struct{}
}

// shut blocks the ops that match stops. The returned channel is closed when the
// first op is blocked.
func (g *gate) shut(stops func(store.Op) bool) (held <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stops, g.held, g.pass = stops, make(chan struct{}), make(chan struct{})
	return g.held
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stops != nil {
		g.stops = nil
		close(g.pass)
	}
}

func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stops != nil
}

func (g *gate) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	g.mu.Lock()
	stops, held, pass := g.stops, g.held, g.pass
	g.mu.Unlock()
	for _, op := range ops {
		if stops != nil && stops(op) {
			close(held)
			<-pass
			break
		}
	}
	return g.Store.Commit(ctx, ops)
}

func emittedText(word string) func(bellcord.Body) bool {
	return func(b bellcord.Body) bool {
		delta, is := b.(bellcord.TextDelta)
		return is && strings.Contains(delta.Text, word)
	}
}

func kind[B bellcord.Body](b bellcord.Body) bool {
	_, is := b.(B)
	return is
}
