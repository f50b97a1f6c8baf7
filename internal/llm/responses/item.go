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

// call is a tool call with a completed item.
type call struct {
	llm.Call
	finished bool // not truncated by the token limit
}

// done applies a completed item. Of all events about an item, only this one is
// guaranteed to contain its whole content.
func (a *answer) done(ctx context.Context, index int64, item sdk.ResponseOutputItemUnion) error {
	finished := item.Status == "" || item.Status == "completed" // a truncated item is in_progress or incomplete
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

// doneMessage emits the text of a message, unless deltas have emitted it
// already.
func (a *answer) doneMessage(ctx context.Context, index int64, item sdk.ResponseOutputItemUnion) error {
	var text strings.Builder
	for _, part := range item.Content {
		a.refused = a.refused || part.Type == "refusal"
		text.WriteString(part.Text + part.Refusal)
	}
	if a.shown[index] {
		return nil
	}
	return a.emitText(ctx, index, text.String())
}

// doneReasoning emits the signature of a reasoning item, if the item is
// finished and has encrypted content. The encrypted content in the item's first
// event is not final.
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

// seal is a reasoning item in the form in which the server accepts it back. The
// server verifies that the encrypted content belongs to the id.
type seal struct {
	ID        string          `json:"id"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
}

// listed returns the calls with unique ids. If the model finished a call,
// missing arguments become an empty object. Otherwise they stay missing, so
// that nothing runs with arguments that the model did not choose.
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
