package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/bellcord/bellcord"
)

// seal is what the API wants to see when it is given back a block of thinking.
type seal struct {
	Signature string `json:"signature,omitempty"`
	Redacted  string `json:"redacted,omitempty"` // the block itself, where it is not shown
	Skip      int    `json:"skip,omitempty"`     // bytes of the text before the block that nothing seals
}

// limits is how long a model may think and answer.
type limits struct {
	thinking int64
	tokens   int64
}

const (
	// defaultMaxTokens is what the models with the shortest answers still offered
	// allow; a limit above a model's own would be refused. Only what is used is
	// paid for.
	defaultMaxTokens = 32000
	// answerRoom is what a default leaves for the answer beside the thinking.
	answerRoom        = 8000
	minThinkingBudget = 1024
)

func newLimits(c Config) (limits, error) {
	l := limits{c.Thinking, c.MaxTokens}
	if l.tokens == 0 {
		l.tokens = max(defaultMaxTokens, l.thinking+answerRoom)
	}
	switch {
	case l.tokens < 0:
		return l, errors.New("the limit of an answer's tokens is negative")
	case l.thinking != 0 && l.thinking != Adaptive && l.thinking < minThinkingBudget:
		return l, fmt.Errorf("a thinking budget of %d tokens is too small: the minimum is %d", l.thinking, minThinkingBudget)
	case l.thinking >= l.tokens:
		return l, fmt.Errorf("a thinking budget of %d tokens leaves none of the %d tokens for the answer", l.thinking, l.tokens)
	}
	return l, nil
}

// think says how the model shall think. The API wants one way for a whole turn,
// which is all answers since the user last said something: with a budget, a turn
// whose calls are being answered must begin with a thought. One that does not,
// because another model began it or the thought was lost, goes on without, and
// without the thoughts that it has.
func (l limits) think(p *sdk.MessageNewParams) {
	switch first := openTurn(p.Messages); {
	case l.thinking == 0:
	case l.thinking == Adaptive:
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{
			Display: sdk.ThinkingConfigAdaptiveDisplaySummarized, // by itself, a new model shows nothing
		}
	case first < len(p.Messages) && !isThought(p.Messages[first].Content[0]):
		disabled := sdk.NewThinkingConfigDisabledParam()
		p.Thinking.OfDisabled = &disabled
		for i := first; i < len(p.Messages); i++ {
			p.Messages[i].Content = slices.DeleteFunc(p.Messages[i].Content, isThought)
		}
	default:
		// Said in this way because for some models the SDK writes advice about it
		// to the terminal, which is not its own.
		p.Thinking = param.Override[sdk.ThinkingConfigParamUnion](sdk.ThinkingConfigEnabledParam{BudgetTokens: l.thinking})
	}
}

// openTurn finds the first answer of the turn that the last results belong to;
// it is behind the last message where there is none.
func openTurn(messages []sdk.MessageParam) int {
	i := len(messages) - 2 // the last message is the user's
	if i < 0 || !slices.ContainsFunc(messages[i].Content, isCall) {
		return len(messages)
	}
	for i >= 2 && !slices.ContainsFunc(messages[i-1].Content, isNoResult) {
		i -= 2
	}
	return i
}

func isThought(b sdk.ContentBlockParamUnion) bool {
	return b.OfThinking != nil || b.OfRedactedThinking != nil
}

func isCall(b sdk.ContentBlockParamUnion) bool { return b.OfToolUse != nil }

func isNoResult(b sdk.ContentBlockParamUnion) bool { return b.OfToolResult == nil }

// thought is a block of thinking as the model made it; ok is false where the
// seal is none of ours.
func thought(t bellcord.Thinking) (b sdk.ContentBlockParamUnion, ok bool) {
	var s seal
	if json.Unmarshal(t.Signature, &s) != nil {
		return b, false
	}
	switch {
	case s.Redacted != "":
		return sdk.NewRedactedThinkingBlock(s.Redacted), true
	case s.Signature != "" && s.Skip >= 0 && s.Skip <= len(t.Text):
		return sdk.NewThinkingBlock(s.Signature, t.Text[s.Skip:]), true
	}
	return b, false
}
