package pi

import (
	"encoding/json"

	"github.com/bellcord/bellcord"
)

// stats is the result of get_session_stats. Tokens are nil while pi does not
// know them, such as right after a compaction.
type stats struct {
	Cost         float64 `json:"cost"` // of the session, in dollars
	ContextUsage *struct {
		Tokens        *float64 `json:"tokens"`
		ContextWindow float64  `json:"contextWindow"`
	} `json:"contextUsage"`
}

// contextUse returns how full pi's context is, or nil if pi does not report it.
func contextUse(data json.RawMessage) *bellcord.ContextUse {
	now := dataOf[stats](data)
	if now.ContextUsage == nil || now.ContextUsage.Tokens == nil || now.ContextUsage.ContextWindow <= 0 {
		return nil
	}
	used := bellcord.ContextUse{UsedTokens: int64(*now.ContextUsage.Tokens), SizeTokens: int64(now.ContextUsage.ContextWindow)}
	if now.Cost > 0 {
		used.Cost = &bellcord.Money{Amount: now.Cost, Currency: "USD"}
	}
	return &used
}

// measure requests how full the context is, after an answer.
func (t *turn) measure() {
	if t.phase == running && !t.stopping && t.measuring == "" && t.settings.measures() {
		t.measuring = t.sendCommand("get_session_stats", nil)
	}
}

// measured records how full the context is, if it has changed.
func (t *turn) measured(r record) {
	t.measuring = ""
	if now := contextUse(r.Data); now != nil && !t.stopping {
		t.converter.contextUsed(*now)
	}
}
