package bellcord

import (
	"fmt"
	"time"
)

// Usage counts tokens. Exact is false where a stop cut off the model's own
// number and ours is an estimate (law 27).
type Usage struct {
	InputTokens      int64 `json:"input_tokens"`                 // all of it, from a cache or not
	CacheReadTokens  int64 `json:"cache_read_tokens,omitempty"`  // of the input, what a cache had
	CacheWriteTokens int64 `json:"cache_write_tokens,omitempty"` // of the input, what a cache has now
	OutputTokens     int64 `json:"output_tokens"`                // thinking included
	CostNanoUSD      int64 `json:"cost_nano_usd,omitempty"`      // in billionths of a dollar; 0 where no price is known
	Exact            bool  `json:"exact"`
}

// Price of a model's tokens, each in billionths of a dollar: 3 dollars for a
// million are 3000.
type Price struct {
	Input      int64 `json:"input_nano_usd"`
	Output     int64 `json:"output_nano_usd"`
	CacheRead  int64 `json:"cache_read_nano_usd"`
	CacheWrite int64 `json:"cache_write_nano_usd"`
}

// Of is what the usage costs.
func (p Price) Of(u Usage) int64 {
	plain := u.InputTokens - u.CacheReadTokens - u.CacheWriteTokens
	return plain*p.Input + u.CacheReadTokens*p.CacheRead + u.CacheWriteTokens*p.CacheWrite + u.OutputTokens*p.Output
}

// Add returns the sum; it is exact if both are.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		InputTokens: u.InputTokens + v.InputTokens, CacheReadTokens: u.CacheReadTokens + v.CacheReadTokens, CacheWriteTokens: u.CacheWriteTokens + v.CacheWriteTokens,
		OutputTokens: u.OutputTokens + v.OutputTokens, CostNanoUSD: u.CostNanoUSD + v.CostNanoUSD, Exact: u.Exact && v.Exact,
	}
}

// Total is what a token budget is held against.
func (u Usage) Total() int64 { return u.InputTokens + u.OutputTokens }

// ModelUsage is what was used of one model.
type ModelUsage struct {
	Model string `json:"model"`
	Usage
}

// Spending is what one turn used of one model. It outlives its session.
type Spending struct {
	At      time.Time // the turn's end
	Turn    TurnID
	Session SessionID
	ModelUsage
}

// SpendingQuery selects spendings: of one session, of one owner (all when empty), from a time
// on (all when zero).
type SpendingQuery struct {
	Session SessionID
	Owner   string
	Since   time.Time
}

// Dollars writes billionths of a dollar as people do: to the cent, or as small
// as it takes to say more than nothing.
func Dollars(billionths int64) string {
	const dollar = 1e9
	switch v := float64(billionths) / dollar; {
	case billionths == 0:
		return "$0"
	case v < 0.01:
		return fmt.Sprintf("$%.6f", v)
	case v < 1:
		return fmt.Sprintf("$%.4f", v)
	default:
		return fmt.Sprintf("$%.2f", v)
	}
}
