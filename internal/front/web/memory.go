package web

import (
	"log/slog"
	"sync"
	"time"
)

// mostReclaims is how often caches are emptied before a request is refused.
const mostReclaims = 4

// memoryGate refuses work while the memory is full.
type memoryGate struct {
	full    func() bool
	reclaim func() int64
	logger  *slog.Logger

	mu      sync.Mutex
	refuses bool
	checked time.Time // of the last attempt to free memory
}

// overloaded reports whether the memory is too full for another prompt or viewer.
// Before it reports that, it empties caches, at most once a second. The log gets a
// line when the server begins to refuse and when it accepts again.
func (g *memoryGate) overloaded() bool {
	full := g.full()
	g.mu.Lock()
	defer g.mu.Unlock()
	if full && time.Since(g.checked) >= time.Second {
		for range mostReclaims {
			if full = g.full(); !full || g.reclaim() == 0 {
				break
			}
		}
		full = g.full()
		g.checked = time.Now()
	}
	switch {
	case full && !g.refuses:
		g.logger.Warn("memory is full, refusing prompts and viewers; " +
			"raise the memory limit, or lower max_turns and max_viewers")
	case !full && g.refuses:
		g.logger.Info("memory is free again, accepting prompts and viewers")
	}
	g.refuses = full
	return full
}
