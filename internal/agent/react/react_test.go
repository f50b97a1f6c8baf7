package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

func none(*stage) []tool.Tool { return nil }

func TestRun_ReplyWithoutCalls_EndsTurn(t *testing.T) {
	t.Parallel()
	onStage(t, &model{script: []answer{{text: "hello"}, {text: "again"}}}, "ask", none, func(t *testing.T, s *stage) {
		if r := s.run("hi"); r.End != bellcord.EndDone || r.Kept.TextBytes != 5 || r.Usage != (bellcord.Usage{InputTokens: 10, OutputTokens: 1, Exact: true}) {
			t.Errorf("%+v", r)
		}
		if len(s.model.requests) != 1 {
			t.Errorf("asked %d times", len(s.model.requests))
		}
	})
}

func TestRun_EveryRequest_ContainsWholeConversation(t *testing.T) {
	t.Parallel()
	m := &model{script: []answer{
		{text: "let me look", calls: []llm.Call{use("look")}},
		{calls: []llm.Call{use("look")}}, // the same ID again
		{text: "it is fine"},
		{text: "you are welcome"},
	}}
	tools := func(*stage) []tool.Tool { return []tool.Tool{made("look", resultOf("a.go"))} }
	onStage(t, m, "ask", tools, func(t *testing.T, s *stage) {
		s.run("how is it?")
		s.run("thanks")
		used := []bellcord.CallRequest{{ID: "look", Name: "look", Arguments: []byte(`{}`)}}
		want := []bellcord.Message{
			{Role: bellcord.RoleUser, Seq: 3, Text: "how is it?"},
			{Role: bellcord.RoleAssistant, Seq: 4, Model: "fake/one", Text: "let me look", Calls: used},
			{Role: bellcord.RoleTool, Seq: 4, Call: "look", Name: "look", Text: "a.go"},
			{Role: bellcord.RoleAssistant, Seq: 10, Model: "fake/one", Calls: used},
			{Role: bellcord.RoleTool, Seq: 10, Call: "look", Name: "look", Text: "a.go"},
			{Role: bellcord.RoleAssistant, Seq: 16, Model: "fake/one", Text: "it is fine"},
			{Role: bellcord.RoleUser, Seq: 21, Text: "thanks"},
		}
		last := m.requests[len(m.requests)-1]
		if !reflect.DeepEqual(last.Messages, want) {
			t.Errorf("told %+v", last.Messages)
		}
		if last.Model != "one" || len(last.Tools) != 1 || last.Tools[0].Name != "look" || !strings.Contains(last.System, s.session.Dir) {
			t.Errorf("asked %+v", last)
		}
		for i, req := range m.requests { // each request begins with the previous one, so prompt caches stay valid
			if i > 0 && !reflect.DeepEqual(req.Messages[:len(m.requests[i-1].Messages)], m.requests[i-1].Messages) {
				t.Errorf("request %d does not begin with the one before", i)
			}
		}
	})
}

func TestRun_ToolOrModelFails_FailsOnlyThatTurn(t *testing.T) {
	t.Parallel()
	tools := func(*stage) []tool.Tool {
		wild := made("wild", func(context.Context, tool.Call) tool.Result { panic("at the disco") })
		wild.Safe = true
		calm := made("calm", resultOf("calm"))
		calm.Safe = true
		asks := made("asks", resultOf(""))
		asks.Question = func(json.RawMessage) string { panic("no question") }
		return []tool.Tool{wild, calm, asks, made("after", resultOf("after"))}
	}
	tests := []struct {
		name  string
		first answer
		model string
		want  string
		calls bellcord.Calls
	}{
		{
			"a tool that panics, beside one that does not",
			answer{calls: []llm.Call{use("wild"), use("calm"), use("after")}},
			"", "tool wild panicked: at the disco",
			bellcord.Calls{Finished: 1, Stopped: []bellcord.CallRef{{Call: "wild", Name: "wild"}}, NotStarted: []bellcord.CallRef{{Call: "after", Name: "after"}}},
		},
		{
			"a question that panics",
			answer{calls: []llm.Call{use("asks")}},
			"", "tool asks panicked: no question",
			bellcord.Calls{NotStarted: []bellcord.CallRef{{Call: "asks", Name: "asks"}}},
		},
		{"a model that fails", answer{fails: errors.New("overloaded")}, "", "overloaded", bellcord.Calls{}},
		{"a model that does not exist", answer{}, "fake/none", "no such model", bellcord.Calls{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			onStage(t, &model{script: []answer{test.first}}, "ask", tools, func(t *testing.T, s *stage) {
				if _, err := s.Configure(s.session.ID, bellcord.SessionUpdated{Model: test.model}); err != nil {
					t.Fatal(err)
				}
				r := s.run("go")
				if r.End != bellcord.EndFailed || !strings.HasPrefix(r.Error, test.want) || !reflect.DeepEqual(r.Calls, test.calls) {
					t.Errorf("ended %s: %.80s, %+v", r.End, r.Error, r.Calls)
				}
				if _, err := s.Configure(s.session.ID, bellcord.SessionUpdated{Model: "fake/one"}); err != nil {
					t.Fatal(err)
				}
				s.model.script = append(s.model.script[:len(s.model.requests)], answer{text: "fine"})
				if r := s.run("and now?"); r.End != bellcord.EndDone {
					t.Errorf("the next turn ended %s: %s", r.End, r.Error)
				}
				messages := s.model.requests[len(s.model.requests)-1].Messages
				if got := messages[len(messages)-1].Text; got != "[the previous turn failed before it was complete]\n\nand now?" {
					t.Errorf("the model is told %q", got)
				}
			})
		})
	}
}
