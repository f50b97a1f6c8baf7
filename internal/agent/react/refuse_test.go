package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

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
