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

// seal is what the API requires when a thinking block is sent back.
type seal struct {
	Signature string `json:"signature,omitempty"`
	Redacted  string `json:"redacted,omitempty"` // data of a redacted block
	Skip      int    `json:"skip,omitempty"`     // unsigned bytes at the start of the text
}

// limits are the token limits of an answer.
type limits struct {
	thinking int64
	tokens   int64
}

const (
	// DefaultMaxTokens is the limit of an answer if Config.MaxTokens is not
	// set. It is the lowest output limit of the models still offered:
	// the API rejects requests above a model's limit. Only used tokens are
	// billed.
	DefaultMaxTokens = 32000
	// MinAnswerTokens is the minimum left for the answer after the thinking budget
	// if Config.MaxTokens is not set.
	MinAnswerTokens   = 8000
	minThinkingBudget = 1024
)

func newLimits(c Config) (limits, error) {
	l := limits{c.Thinking, c.MaxTokens}
	if l.tokens == 0 {
		l.tokens = max(DefaultMaxTokens, l.thinking+MinAnswerTokens)
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

// think sets the thinking mode. The API requires one mode for a whole turn,
// that is, for all answers since the user's last message. With a budget, a turn
// with tool results must begin with thinking. If it does not, because another
// model began it or the thinking was lost, thinking is disabled and the turn's
// thinking blocks are removed.
func (l limits) think(p *sdk.MessageNewParams) {
	switch first := openTurn(p.Messages); {
	case l.thinking == 0:
	case l.thinking == Adaptive:
		p.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{
			Display: sdk.ThinkingConfigAdaptiveDisplaySummarized, // the default of new models is to show nothing
		}
	case first < len(p.Messages) && !isThought(p.Messages[first].Content[0]):
		disabled := sdk.NewThinkingConfigDisabledParam()
		p.Thinking.OfDisabled = &disabled
		for i := first; i < len(p.Messages); i++ {
			p.Messages[i].Content = slices.DeleteFunc(p.Messages[i].Content, isThought)
		}
	default:
		// The override prevents the SDK from printing advice about some models
		// to the terminal.
		p.Thinking = param.Override[sdk.ThinkingConfigParamUnion](sdk.ThinkingConfigEnabledParam{BudgetTokens: l.thinking})
	}
}

// openTurn returns the index of the first answer of the turn that the last
// results belong to, or len(messages) if there is no such turn.
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

// thinkingBlock returns the block for recorded thinking, as the model sent it. ok is
// false if the signature is not from this provider.
func thinkingBlock(t bellcord.Thinking) (b sdk.ContentBlockParamUnion, ok bool) {
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
