package responses

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/openai/openai-go/v3/responses"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
)

const noArgs = "{}"

// call is a tool call whose item is done.
type call struct {
	llm.Call
	finished bool // the model did not run out of tokens in it
}

// done takes in an item of which nothing more will come. Of all that an item's
// own events said, only this one is sure to have all of it.
func (a *answer) done(ctx context.Context, index int64, item sdk.ResponseOutputItemUnion) error {
	finished := item.Status == "" || item.Status == "completed" // a cut item is in_progress or incomplete
	switch item.Type {
	case "message":
		return a.doneMessage(ctx, index, item)
	case "reasoning":
		return a.doneReasoning(ctx, index, item, finished)
	case "function_call":
		a.calls = append(a.calls, call{llm.Call{ID: item.CallID, Name: item.Name, Args: item.Arguments.OfString}, finished})
	}
	return nil
}

// doneMessage says the message where no event has said any of it before.
func (a *answer) doneMessage(ctx context.Context, index int64, item sdk.ResponseOutputItemUnion) error {
	var text strings.Builder
	for _, part := range item.Content {
		a.refused = a.refused || part.Type == "refusal"
		text.WriteString(part.Text + part.Refusal)
	}
	if a.shown[index] {
		return nil
	}
	return a.say(ctx, index, text.String())
}

// doneReasoning seals the thinking, if the server gave what it needs to know it
// again. What it gave when the thinking began is not that yet.
func (a *answer) doneReasoning(ctx context.Context, index int64, item sdk.ResponseOutputItemUnion, finished bool) error {
	if !a.shown[index] {
		var parts []string
		for _, part := range item.Summary {
			parts = append(parts, part.Text)
		}
		if err := a.think(ctx, index, strings.Join(parts, paragraph)); err != nil {
			return err
		}
	}
	if !finished || item.EncryptedContent == "" {
		return nil
	}
	s := seal{ID: item.ID, Summary: json.RawMessage(item.JSON.Summary.Raw()), Encrypted: item.EncryptedContent}
	if !item.JSON.Summary.Valid() {
		s.Summary = json.RawMessage("[]")
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("storing the model's thinking: %w", err)
	}
	return a.emitBody(ctx, bellcord.ThinkingSigned{Signature: raw})
}

// seal is a reasoning item as the server wants it back: it verifies that the
// encrypted content belongs to the id.
type seal struct {
	ID        string          `json:"id"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
}

// listed returns the calls with ids that are unique among them. Missing
// arguments mean none where the model finished the call; where it was cut short
// they stay missing, so that nothing is run with arguments it did not choose.
func listed(calls []call) ([]llm.Call, error) {
	var out []llm.Call
	for _, c := range calls {
		if c.finished && strings.TrimSpace(c.Args) == "" {
			c.Args = noArgs
		}
		out = append(out, c.Call)
	}
	return out, llm.Identify(out, "call")
}
