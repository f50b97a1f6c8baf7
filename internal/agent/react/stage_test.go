package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/agent/react"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// model returns the scripted answers, one per step, and then empty ones. It
// records all requests.
type model struct {
	script []answer

	title answer // for requests for a title

	mu       sync.Mutex
	requests []llm.Request
	titled   []llm.Request
}

type answer struct {
	text  string
	calls []llm.Call
	fails error
	waits time.Duration // before it answers
}

func (m *model) Generate(ctx context.Context, req llm.Request, emit func(bellcord.Body) error) (llm.Reply, error) {
	a, more := m.next(req)
	if !more {
		return llm.Reply{Finish: "stop"}, nil
	}
	select {
	case <-time.After(a.waits):
	case <-ctx.Done():
		return llm.Reply{}, context.Cause(ctx)
	}
	if a.fails != nil {
		return llm.Reply{}, a.fails
	}
	reply := llm.Reply{Finish: "stop", Calls: a.calls, Usage: &bellcord.Usage{InputTokens: 10, OutputTokens: 1, Exact: true}}
	if len(a.calls) > 0 {
		reply.Finish = "tool_calls"
	}
	return reply, emit(bellcord.TextDelta{Text: a.text})
}

// next returns the answer to a request; requests for a title get m.title.
func (m *model) next(req llm.Request) (answer, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if req.Model == "titles" {
		m.titled = append(m.titled, req)
		return m.title, true
	}
	m.requests = append(m.requests, req)
	if len(m.requests) > len(m.script) {
		return answer{}, false
	}
	return m.script[len(m.requests)-1], true
}

// use returns a call of a tool, with the name also used as its ID.
func use(name string) llm.Call { return llm.Call{ID: name, Name: name, Args: `{}`} }

// made returns a tool that calls run.
func made(name string, run func(context.Context, tool.Call) tool.Result) tool.Tool {
	return tool.Tool{
		Tool:  llm.Tool{Name: name, Description: name, Schema: json.RawMessage(`{"type":"object"}`)},
		Check: func(json.RawMessage) error { return nil },
		Run:   run,
	}
}

func resultOf(text string) func(context.Context, tool.Call) tool.Result {
	return func(context.Context, tool.Call) tool.Result {
		return tool.Result{Text: text, Fate: bellcord.CallFinished}
	}
}

// stage is a hub with the agent, a real store and one session.
type stage struct {
	*hub.Hub
	t       *testing.T
	agent   *react.Agent
	model   *model
	store   store.Store
	session bellcord.Session
}

// onStage calls play with a new stage, under a fake clock. tools is called with
// the stage, so that the tools can use it.
func onStage(t *testing.T, m *model, mode string, tools func(s *stage) []tool.Tool, play func(t *testing.T, s *stage)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		store, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		s := &stage{t: t, model: m, store: store}
		s.agent = &react.Agent{Tools: tools(s), Model: func(name string) (react.Model, error) {
			if name == "fake/none" {
				return react.Model{}, errors.New("no such model")
			}
			return react.Model{Model: m, Name: strings.TrimPrefix(name, "fake/"), Window: 1000}, nil
		}}
		if s.Hub, err = hub.Open(t.Context(), store, s.agent, hub.Options{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(s.Close(context.Background()), store.Close()); err != nil {
				t.Error(err)
			}
		})
		if s.session, err = s.NewSession(t.Context(), bellcord.Session{Dir: dir, Mode: mode, Model: "fake/one"}); err != nil {
			t.Fatal(err)
		}
		play(t, s)
	})
}

// run sends a prompt, waits until the turn has settled, and returns its
// receipt.
func (s *stage) run(text string) bellcord.Receipt {
	s.t.Helper()
	turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Text: text})
	if err != nil {
		s.t.Fatal(err)
	}
	<-turn.Settled()
	return turn.Receipt()
}

// resultSent returns the result of a call in the last request to the model.
func (s *stage) resultSent(call string) string {
	s.t.Helper()
	for _, m := range s.model.requests[len(s.model.requests)-1].Messages {
		if m.Role == bellcord.RoleTool && m.Call == call {
			return m.Text
		}
	}
	s.t.Fatalf("the model was told nothing of %s", call)
	return ""
}

// log returns the session's events in the store.
func (s *stage) log() []bellcord.Event {
	s.t.Helper()
	events, err := s.store.Events(s.t.Context(), s.session.ID, 0, 1000)
	if err != nil {
		s.t.Fatal(err)
	}
	return events
}
