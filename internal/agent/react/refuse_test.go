package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

func TestPermit_CallThatLeavesTheSandbox_CanOnlyBeAllowedByAnAdmin(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"ask", "auto-edit", "full"} {
		for _, leaves := range []bool{false, true} {
			tools := func(*stage) []tool.Tool {
				of := made("write", resultOf("written"))
				of.Question = func(json.RawMessage) string { return "Write?" }
				of.EachTime = func(json.RawMessage) string { return map[bool]string{true: "it leaves the sandbox"}[leaves] }
				return []tool.Tool{of}
			}
			var asked *bellcord.Question
			onStage(t, &model{script: []answer{{calls: []llm.Call{use("write")}}}}, mode, tools, func(t *testing.T, s *stage) {
				turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Text: "go", Deadline: time.Second})
				if err != nil {
					t.Fatal(err)
				}
				<-turn.Settled()
				for _, e := range s.log() {
					if q, is := e.Body.(bellcord.QuestionOpened); is {
						asked = &q.Question
					}
				}
			})
			switch {
			case leaves && (asked == nil || asked.Requires != bellcord.ScopeAdmin || len(asked.Choices) != 2):
				t.Errorf("%s: asked %+v", mode, asked)
			case !leaves && (asked == nil) != (mode == "full"), !leaves && asked != nil && asked.Requires != "":
				t.Errorf("%s, in the sandbox: asked %+v", mode, asked)
			}
		}
	}
}

func TestPermit_CallThatToolRefuses_IsNeitherAskedNorRun(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"ask", "full"} {
		tools := func(s *stage) []tool.Tool {
			of := made("write", func(context.Context, tool.Call) tool.Result {
				s.t.Error("it was run")
				return tool.Result{}
			})
			of.Question = func(json.RawMessage) string { return "Write?" }
			of.Refuse = func(_ context.Context, c tool.Call) error {
				if c.Dir != s.session.Dir || c.Session != s.session.ID {
					s.t.Errorf("called with %+v", c)
				}
				return errors.New("the file was not read")
			}
			return []tool.Tool{of}
		}
		onStage(t, &model{script: []answer{{calls: []llm.Call{use("write")}}}}, mode, tools, func(t *testing.T, s *stage) {
			if r := s.run("go"); r.End != bellcord.EndDone || s.resultSent("write") != "[not started: the file was not read]" {
				t.Errorf("%s: ended %s, the model got %q", mode, r.End, s.resultSent("write"))
			}
		})
	}
}
