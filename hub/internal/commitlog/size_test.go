package commitlog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestSizeOf_BodiesWithLongText_CountIt(t *testing.T) {
	t.Parallel()
	const long = 50_000
	text := strings.Repeat("x", long)
	raw := json.RawMessage(`"` + text + `"`)
	for _, b := range []bellcord.Body{
		bellcord.AgentUpdate{Update: raw},
		bellcord.ToolCallUpdated{Call: "c", Arguments: raw},
		bellcord.ToolCallUpdated{Call: "c", CallView: bellcord.CallView{Content: []bellcord.CallContent{{Block: raw}}}},
		bellcord.ToolCallRequested{Call: "c", Title: text, Arguments: json.RawMessage(`{}`)},
		bellcord.ToolCallEnded{Call: "c", RawOutput: raw},
		bellcord.PlanUpdated{Entries: []bellcord.PlanEntry{{Text: text}}},
		bellcord.TurnEnded{Receipt: bellcord.Receipt{Changes: &bellcord.Changes{Files: []bellcord.FileChange{{Path: text}}}}},
		bellcord.TurnAccepted{Prompt: bellcord.Prompt{Blocks: []bellcord.Block{{Content: raw}}}},
		bellcord.MessageImported{Updates: []json.RawMessage{raw}},
		bellcord.QuestionOpened{Question: bellcord.Question{Text: text}},
		bellcord.TextDelta{Meta: raw},
		bellcord.StepEnded{AgentReply: raw},
	} {
		if got := sizeOf(b); got < long || got > 2*long {
			t.Errorf("%s with %d bytes counts as %d", b.Kind(), long, got)
		}
	}
}
