package react_test

import (
	"context"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/tool"
)

func lookTool(t *testing.T) func(*stage) []tool.Tool {
	return func(*stage) []tool.Tool {
		return []tool.Tool{made("look", func(context.Context, tool.Call) tool.Result {
			t.Error("a call in a text was run")
			return tool.Result{}
		})}
	}
}

func TestTextCall_CallIsWholeAnswer_ModelGetsOneNote(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"<tool_call>\n{\"name\": \"look\", \"arguments\": {}}\n</tool_call>":               true,
		"<function=look>\n<parameter=path>a</parameter>\n</function>":                      true,
		"<invoke name=\"look\"></invoke>":                                                  true,
		"[TOOL_CALLS][{\"name\": \"look\", \"arguments\": {}}]":                            true,
		"```json\n{\"name\": \"look\", \"arguments\": {\"path\": \"a\"}}\n```":             true,
		"```\nlook(path=\"a\")\n```":                                                       true,
		" {\"tool\": \"look\", \"args\": {}} ":                                             true,
		"{\"type\": \"function\", \"function\": {\"name\": \"look\", \"parameters\": {}}}": true,
		"functions.look({\"path\": \"a\"})":                                                true,
		"I would call look(path).":                                                         false,
		"Use this:\n```json\n{\"name\": \"look\", \"arguments\": {}}\n```":                 false,
		"{\"name\": \"look\"}":                                                             false,
		"{\"name\": \"other\", \"arguments\": {}}":                                         false,
		"print(\"look\")":                false,
		"<tool_call>unknown</tool_call>": false,
		"":                               false,
	}
	for text, want := range tests {
		t.Run(strings.NewReplacer("/", "", "\n", " ").Replace(text), func(t *testing.T) {
			t.Parallel()
			m := &model{script: []answer{{text: text}, {text: text}, {text: "not reached"}}}
			onStage(t, m, "full", lookTool(t), func(t *testing.T, s *stage) {
				if r := s.run("go"); r.End != bellcord.EndDone {
					t.Fatalf("ended %s: %s", r.End, r.Error)
				}
				notes := 0
				for _, ev := range s.log() {
					if b, is := ev.Body.(bellcord.ContextAdded); is && b.Reason == "text_call" {
						notes++
					}
				}
				if got := len(m.requests) == 2 && notes == 1; got != want || len(m.requests) > 2 {
					t.Errorf("%d requests, %d notes", len(m.requests), notes)
				}
				if !want {
					return
				}
				sent := m.requests[1].Messages
				if n := len(sent); n != 3 || sent[1].Text != text || sent[2].Role != bellcord.RoleUser || !strings.Contains(sent[2].Text, "was not run") {
					t.Errorf("sent %+v", sent)
				}
			})
		})
	}
}

func TestTextCall_TwoTurns_EachGetsOneNote(t *testing.T) {
	t.Parallel()
	text := "<tool_call>{\"name\": \"look\"}</tool_call>"
	m := &model{script: []answer{{text: text}, {text: "Sorry."}, {text: text}, {text: "Sorry."}}}
	onStage(t, m, "full", lookTool(t), func(t *testing.T, s *stage) {
		s.run("go")
		s.run("go")
		if len(m.requests) != 4 {
			t.Errorf("%d requests", len(m.requests))
		}
	})
}
