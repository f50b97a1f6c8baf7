package react_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/permit"
	"github.com/bellcord/bellcord/internal/tool"
)

// TestPermit_ChangedTool_IsNeitherRunNorPinnedWithoutApproval leaves the
// question about a changed tool unanswered. Unchanged, the tool needs no
// approval.
func TestPermit_ChangedTool_IsNeitherRunNorPinnedWithoutApproval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		changed string
		pinned  int
	}{{"", 1}, {"the tool look of the MCP server x changed since it was last used", 0}} {
		pinned, question := 0, ""
		tools := func(*stage) []tool.Tool {
			of := made("look", resultOf("looked"))
			of.Effect = permit.Reads
			of.Question = func(json.RawMessage) string { return "Call look?" }
			of.Changed = func() string { return c.changed }
			of.Used = func() error { pinned++; return nil }
			return []tool.Tool{of}
		}
		onStage(t, &model{script: []answer{{calls: []llm.Call{use("look")}}}}, "ask", tools, func(t *testing.T, s *stage) {
			turn, err := s.Prompt(s.session.ID, bellcord.Prompt{Text: "go", Deadline: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			<-turn.Settled()
			for _, e := range s.log() {
				if q, ok := e.Body.(bellcord.QuestionOpened); ok {
					question = q.Question.Text
				}
			}
		})
		if pinned != c.pinned || (question != "") != (c.changed != "") {
			t.Errorf("%q: pinned %d times, asked %q", c.changed, pinned, question)
		}
	}
}
