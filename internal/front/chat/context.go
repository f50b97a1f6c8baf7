package chat

import (
	"fmt"

	"github.com/bellcord/bellcord"
)

// contextUse is how much of the model's context the conversation fills, in
// tokens; zero if that is unknown.
type contextUse struct {
	used, size int64
	model      string
}

// readContext follows the size of the context: the model's own report if there is
// one, an estimate before it. A hosted agent reports both numbers itself.
func (m *Model) readContext(b bellcord.Body) {
	c := &m.context
	switch b := b.(type) {
	case bellcord.UsageReported:
		if b.Context != nil {
			c.used, c.size = b.Context.UsedTokens, b.Context.SizeTokens
		}
	case bellcord.StepStarted:
		if m.hosted() || m.window == nil {
			return
		}
		if b.Model != c.model {
			c.model, c.size = b.Model, m.window(b.Model)
		}
		c.used = b.EstimatedInput
	case bellcord.StepEnded:
		if !m.hosted() && b.Usage != nil {
			c.used = b.Usage.InputTokens + b.Usage.OutputTokens
		}
	case bellcord.ConversationCleared, bellcord.ConversationCompacted:
		c.used = 0
	}
}

// String returns how full the context is, such as "ctx 31%", or "".
func (c contextUse) String() string {
	if c.used == 0 || c.size == 0 {
		return ""
	}
	return fmt.Sprintf("ctx %d%%", 100*c.used/c.size)
}
