package react_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// The question, the log and the tool get the repaired call. The model gets its
// call back as it wrote it, because some providers sign it.
func TestCall_WithRepairedMistake_RunsAsAskedAndIsReplayedAsWritten(t *testing.T) {
	t.Parallel()
	ran := ""
	tools := func(*stage) []tool.Tool {
		shell := tool.Shell(nil, nil)
		shell.Effect = permit.Executes
		shell.Run = func(_ context.Context, c tool.Call) tool.Result {
			ran = string(c.Args)
			return tool.Result{Text: "done", Fate: bellcord.CallFinished}
		}
		return []tool.Tool{shell}
	}
	written := llm.Call{ID: "c", Name: "Bash", Args: `{"cmd":"ls","description":"list"}`, Seal: json.RawMessage(`"seal"`)}
	onStage(t, &model{script: []answer{{calls: []llm.Call{written}}}}, "ask", tools, func(t *testing.T, s *stage) {
		turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Text: "go"})
		if err != nil {
			t.Fatal(err)
		}
		if n := answerAll(t, s, turn, map[string]bellcord.Reply{"c": {Choice: "allow"}}); n != 1 || ran != `{"command":"ls"}` {
			t.Errorf("asked %d times, ran %s", n, ran)
		}
		for _, e := range s.log() {
			switch b := e.Body.(type) {
			case bellcord.QuestionOpened:
				if b.Question.Tool != "shell" || b.Question.Text != "Run `ls`?" || string(b.Question.Arguments) != ran {
					t.Errorf("asked %+v", b.Question)
				}
			case bellcord.ToolCallRequested:
				if b.Name != "shell" || string(b.Arguments) != ran || b.Original == nil || b.Original.Name != "Bash" {
					t.Errorf("logged %+v", b)
				}
			}
		}
		messages := s.model.requests[1].Messages
		if c := messages[1].Calls[0]; c.Name != "Bash" || string(c.Arguments) != written.Args || string(c.Signature) != `"seal"` || messages[2].Name != "Bash" {
			t.Errorf("the model got back %+v and %+v", c, messages[2])
		}
	})
}
