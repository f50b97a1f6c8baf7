package acp

import "github.com/bellcord/bellcord"

// spent is what an agent tells of a turn's tokens.
type spent struct {
	Total      int64 `json:"totalTokens"`
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	Thought    int64 `json:"thoughtTokens"`
	CacheRead  int64 `json:"cachedReadTokens"`
	CacheWrite int64 `json:"cachedWriteTokens"`
}

// usage is the same in our words, nil when nothing is told. The total decides
// whether an agent counts thoughts and what a cache had apart from the rest.
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
