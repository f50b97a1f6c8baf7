package react_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

// step returns an answer with one call. Its ID is the number of the step.
func step(n int, name, args string) answer {
	return answer{calls: []llm.Call{{ID: fmt.Sprint(n), Name: name, Args: args}}}
}

func TestFailures_SameCallFailsTwice_ThirdIsNotRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		script []answer
		ran    string // the tools that ran, in order
		third  string // ID of the call that is refused, "" for none
	}{
		{"three times", []answer{step(1, "bad", `{"a":1}`), step(2, "bad", `{"a":1}`), step(3, "bad", `{"a":1}`)}, "bad bad", "3"},
		{"and a fourth time", []answer{step(1, "bad", `{}`), step(2, "bad", `{}`), step(3, "bad", `{}`), step(4, "bad", `{}`)}, "bad bad", "4"},
		{"other arguments", []answer{step(1, "bad", `{"a":1}`), step(2, "bad", `{"a":2}`), step(3, "bad", `{"a":1}`)}, "bad bad bad", ""},
		{"another call between them", []answer{step(1, "bad", `{}`), step(2, "bad", `{}`), step(3, "good", `{}`), step(4, "bad", `{}`)}, "bad bad good bad", ""},
		{"a call that succeeds", []answer{step(1, "good", `{}`), step(2, "good", `{}`), step(3, "good", `{}`)}, "good good good", ""},
		{"a tool that does not exist", []answer{step(1, "nosuch", `{}`), step(2, "nosuch", `{}`), step(3, "nosuch", `{}`)}, "", "3"},
		{"different invalid arguments", []answer{step(1, "bad", `{"a`), step(2, "bad", `{"b`), step(3, "bad", `{"c`)}, "", ""},
		{"in one batch", []answer{
			{calls: []llm.Call{{ID: "1", Name: "bad", Args: `{}`}, {ID: "2", Name: "bad", Args: `{}`}, {ID: "3", Name: "bad", Args: `{}`}}},
		}, "bad bad", "3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var ran []string
			tools := func(*stage) []tool.Tool {
				run := func(name string, failed bool) tool.Tool {
					return made(name, func(context.Context, tool.Call) tool.Result {
						ran = append(ran, name)
						return tool.Result{Text: name, Failed: failed, Fate: bellcord.CallFinished}
					})
				}
				return []tool.Tool{run("bad", true), run("good", false)}
			}
			onStage(t, &model{script: test.script}, "full", tools, func(t *testing.T, s *stage) {
				if r := s.run("go"); r.End != bellcord.EndDone {
					t.Fatalf("ended %s: %s", r.End, r.Error)
				}
				if got := strings.Join(ran, " "); got != test.ran {
					t.Errorf("ran %q, want %q", got, test.ran)
				}
				refused := ""
				for _, m := range s.model.requests[len(s.model.requests)-1].Messages {
					if m.Role == bellcord.RoleTool && strings.Contains(m.Text, "not run a third time") {
						refused = m.Call
					}
				}
				if refused != test.third {
					t.Errorf("call %q was refused, want %q", refused, test.third)
				}
			})
		})
	}
}

// A new prompt may change the outcome of a call.
func TestFailures_NewTurn_StartsAtZero(t *testing.T) {
	t.Parallel()
	ran := 0
	tools := func(*stage) []tool.Tool {
		return []tool.Tool{made("bad", func(context.Context, tool.Call) tool.Result {
			ran++
			return tool.Result{Text: "no", Failed: true, Fate: bellcord.CallFinished}
		})}
	}
	script := []answer{step(1, "bad", `{}`), step(2, "bad", `{}`), {text: "I cannot."}, step(3, "bad", `{}`)}
	onStage(t, &model{script: script}, "full", tools, func(t *testing.T, s *stage) {
		s.run("go")
		s.run("again")
		if ran != 3 {
			t.Errorf("it ran %d times", ran)
		}
	})
}
