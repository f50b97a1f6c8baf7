package acp

import "github.com/bellcord/bellcord"

// spent is the token usage that an agent reports for a turn.
type spent struct {
	Total      int64 `json:"totalTokens"`
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	Thought    int64 `json:"thoughtTokens"`
	CacheRead  int64 `json:"cachedReadTokens"`
	CacheWrite int64 `json:"cachedWriteTokens"`
}

// usage converts the report, or returns nil if it is empty. The total shows
// whether the agent counts thinking and cached tokens separately.
func (s *spent) usage() *bellcord.Usage {
	if s == nil || s.Input+s.Output == 0 {
		return nil
	}
	u := bellcord.Usage{InputTokens: s.Input, OutputTokens: s.Output, CacheReadTokens: s.CacheRead, CacheWriteTokens: s.CacheWrite, Exact: true}
	cached := s.CacheRead + s.CacheWrite
	if s.Total >= s.Input+s.Output+cached || cached > s.Input {
		u.InputTokens += cached
	}
	if s.Total >= u.InputTokens+u.OutputTokens+s.Thought {
		u.OutputTokens += s.Thought
	}
	return &u
}
