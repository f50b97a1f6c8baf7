package bellcord

// Usage counts tokens. Exact is false if a stop cut off the model's own report
// and the counts are estimates (law 27).
type Usage struct {
	InputTokens      int64 `json:"input_tokens"`                 // all input tokens, cached or not
	CacheReadTokens  int64 `json:"cache_read_tokens,omitempty"`  // part of the input that was read from a cache
	CacheWriteTokens int64 `json:"cache_write_tokens,omitempty"` // part of the input that was written to a cache
	OutputTokens     int64 `json:"output_tokens"`                // including thinking
	CostNanoUSD      int64 `json:"cost_nano_usd,omitempty"`      // in billionths of a dollar; 0 if the model has no price
	Exact            bool  `json:"exact"`
}

// Price is the price of a model's tokens in billionths of a dollar per token: 3
// dollars per million tokens are 3000.
type Price struct {
	Input      int64 `json:"input_nano_usd"`
	Output     int64 `json:"output_nano_usd"`
	CacheRead  int64 `json:"cache_read_nano_usd"`
	CacheWrite int64 `json:"cache_write_nano_usd"`
}

// Of returns the cost of the usage in billionths of a dollar.
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

// Total returns the number of tokens that counts towards a token limit.
func (u Usage) Total() int64 { return u.InputTokens + u.OutputTokens }

// ModelUsage is the usage of one model.
type ModelUsage struct {
	Model string `json:"model"`
	Usage
}
