//go:build unix

package probe_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain lets the test binary act as the agent that is probed. The agent is
// correct except for the defect that the environment selects.
func TestMain(m *testing.M) {
	switch os.Getenv("PROBE_TEST_AGENT") {
	case "acp":
		serveFaulty()
		os.Exit(0)
	case "acp v2":
		serveV2(os.Getenv("PROBE_TEST_DEFECT"))
		os.Exit(0)
	case "pi":
		serveFakePi()
		os.Exit(0)
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // the tests wait for most of their time
	os.Exit(m.Run())
}

// faulty is a minimal ACP agent with one defect.
type faulty struct {
	defect string
	url    string

	mu        sync.Mutex
	out       io.Writer // of the newest connection
	sessions  map[string]*faultySession
	questions map[string]chan string
	counter   int
	turns     sync.WaitGroup
}

type faultySession struct {
	id       string
	history  []map[string]any
	turns    map[*faultyTurn]bool
	last     chan struct{} // closed when the previous turn has ended
	poisoned bool
	stopped  atomic.Bool // a turn was cancelled
	quiet    atomic.Bool // a cancel has arrived since the agent went on by itself
}

type faultyTurn struct {
	id      string // id of the request
	session *faultySession
	ctx     context.Context
	cancel  context.CancelFunc
	before  chan struct{}
	done    chan struct{}
	text    string
}

type incoming struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Version int             `json:"protocolVersion"`
		Session string          `json:"sessionId"`
		Request json.RawMessage `json:"requestId"`
		Prompt  []struct {
			Text string `json:"text"`
		} `json:"prompt"`
	} `json:"params"`
	Result struct {
		Outcome struct {
			Outcome string `json:"outcome"`
		} `json:"outcome"`
	} `json:"result"`
}

func newFaulty(defect, url string, out io.Writer) *faulty {
	return &faulty{defect: defect, url: url, out: out, sessions: map[string]*faultySession{}, questions: map[string]chan string{}}
}

func serveFaulty() {
	f := newFaulty(os.Getenv("PROBE_TEST_DEFECT"), os.Getenv("PROBE_TEST_MODEL"), os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	fmt.Fprintln(os.Stderr, "noise is not a finding")
	fmt.Println() // an empty line is not a finding
	switch f.defect {
	case "prints-text":
		fmt.Println("Welcome!")
	case "prints-a-log":
		fmt.Println(`{"level":"info","message":"started"}`)
	}
	for lines.Scan() {
		var in incoming
		if json.Unmarshal(lines.Bytes(), &in) == nil {
			f.handle(in)
		}
	}
	for _, s := range f.sessions {
		f.cancelAll(s)
	}
	f.turns.Wait()
	if f.defect == "ends-inside-a-line" {
		fmt.Print(`{"jsonrpc":`)
	}
	if f.defect == "survives-eof" {
		<-time.After(time.Hour)
	}
}

func (f *faulty) send(v map[string]any) {
	v["jsonrpc"] = "2.0"
	line, _ := json.Marshal(v)
	f.mu.Lock()
	defer f.mu.Unlock()
	_, _ = f.out.Write(append(line, '\n'))
}

func (f *faulty) reply(id json.RawMessage, result any) {
	f.send(map[string]any{"id": id, "result": result})
}

func (f *faulty) update(s *faultySession, fields map[string]any) {
	f.send(map[string]any{"method": "session/update", "params": map[string]any{"sessionId": s.id, "update": fields}})
}

func (f *faulty) chunk(s *faultySession, text string) {
	f.update(s, map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": text}})
}

func (f *faulty) handle(in incoming) {
	f.mu.Lock()
	s := f.sessions[in.Params.Session]
	f.mu.Unlock()
	switch in.Method {
	case "initialize":
		sessions := map[string]any{"close": map[string]any{}}
		if f.defect == "offers-no-close" {
			delete(sessions, "close")
		}
		if f.defect == "refuses-v2" && in.Params.Version == 2 {
			f.send(map[string]any{"id": in.ID, "error": map[string]any{"code": -32602, "message": "unsupported version"}})
			return
		}
		f.send(map[string]any{"method": "_made/up", "params": map[string]any{}})
		f.reply(in.ID, map[string]any{
			"protocolVersion": 1, "agentInfo": map[string]any{"name": "faulty", "version": "7"},
			"agentCapabilities": map[string]any{"loadSession": true, "sessionCapabilities": sessions},
		})
	case "session/new":
		f.counter++
		s := &faultySession{id: "s" + strconv.Itoa(f.counter), turns: map[*faultyTurn]bool{}, last: make(chan struct{})}
		close(s.last)
		f.mu.Lock()
		f.sessions[s.id] = s
		f.mu.Unlock()
		f.reply(in.ID, map[string]any{"sessionId": s.id})
	case "session/load":
		f.reply(in.ID, map[string]any{})
	case "session/prompt":
		if f.defect == "broken-after-stop" && s.stopped.Load() {
			f.send(map[string]any{"id": in.ID, "error": map[string]any{"code": -32603, "message": "already running"}})
			return
		}
		f.accept(s, in)
	case "session/cancel":
		f.cancelled(s)
	case "$/cancel_request":
		if f.defect != "ignores-cancel-request" {
			f.cancelOne(string(in.Params.Request))
		}
	case "session/close":
		go f.close(s, in.ID)
	case "":
		f.mu.Lock()
		question := f.questions[string(in.ID)]
		f.mu.Unlock()
		if question != nil {
			question <- in.Result.Outcome.Outcome
		}
	}
}

// accept registers the turn while the line is handled, so that a cancel right
// after it finds the turn.
func (f *faulty) accept(s *faultySession, in incoming) {
	t := &faultyTurn{id: string(in.ID), session: s, done: make(chan struct{}), text: in.Params.Prompt[0].Text}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	if s.poisoned {
		s.poisoned = false
		t.cancel()
	}
	t.before, s.last = s.last, t.done
	register := func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		s.turns[t] = true
	}
	if f.defect != "loses-early-cancel" {
		register()
	}
	f.turns.Go(func() {
		if f.defect == "loses-early-cancel" {
			<-time.After(50 * time.Millisecond)
			register()
		}
		f.run(t)
	})
}

func (f *faulty) cancelAll(s *faultySession) (running []*faultyTurn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for t := range s.turns {
		t.cancel()
		running = append(running, t)
	}
	return running
}

func (f *faulty) cancelled(s *faultySession) {
	s.quiet.Store(true)
	running := f.cancelAll(s)
	if len(running) > 0 {
		s.stopped.Store(true)
	}
	if len(running) == 0 && f.defect == "stale-cancel" {
		s.poisoned = true
	}
}

func (f *faulty) cancelOne(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.sessions {
		for t := range s.turns {
			if t.id == id {
				t.cancel()
			}
		}
	}
}

func (f *faulty) close(s *faultySession, id json.RawMessage) {
	if f.defect == "close-before-prompt" {
		f.reply(id, map[string]any{})
		<-time.After(50 * time.Millisecond)
	}
	for _, t := range f.cancelAll(s) {
		<-t.done
	}
	if f.defect != "close-before-prompt" {
		f.reply(id, map[string]any{})
	}
}
