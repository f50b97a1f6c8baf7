package web

import (
	"errors"
	"log/slog"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// Bounds limits the number of concurrent viewers. A negative number means no
// limit; 0 allows none.
type Bounds struct{ All, PerOwner int }

var (
	errViewers       = errors.New("the server has too many open event streams: retry later, or wait for a turn with GET /v1/turns/{turn}?wait=30s")
	errOwnersViewers = errors.New("you have too many open event streams: close some")
)

// crowd counts viewers.
type crowd struct {
	most    Bounds
	memory  *memoryGate
	changed func(delta int) // called when a stream starts or ends
	logger  *slog.Logger

	warn sync.Once // one warning per server; the metric bellcord_event_streams has the rest

	mu  sync.Mutex
	all int
	by  map[string]int
}

// admit counts a viewer of the owner until leave is called. It returns
// errOwnersViewers or errViewers above a limit, and errOverloaded without memory.
func (c *crowd) admit(owner string) (leave func(), err error) {
	if c.memory.overloaded() {
		return nil, errOverloaded
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.most.PerOwner >= 0 && c.by[owner] >= c.most.PerOwner:
		return nil, errOwnersViewers
	case c.most.All >= 0 && c.all >= c.most.All:
		c.warn.Do(func() {
			c.logger.Warn("too many viewers, refusing new ones; check max_viewers and the open-file limit", "most", c.most.All)
		})
		return nil, errViewers
	}
	if c.by == nil {
		c.by = map[string]int{}
	}
	c.all++
	c.by[owner]++
	return func() { c.removeViewer(owner) }, nil
}

func (c *crowd) removeViewer(owner string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.by[owner]--; c.by[owner] == 0 {
		delete(c.by, owner)
	}
}

// memoryFull reports whether live heap objects and stacks use more than 80 % of
// the Go memory limit. Garbage does not count, because the runtime collects it
// near the limit.
func memoryFull() bool {
	limit := debug.SetMemoryLimit(-1)
	if limit == math.MaxInt64 {
		return false
	}
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	var used uint64
	for _, sample := range samples {
		if sample.Value.Kind() == metrics.KindUint64 {
			used += sample.Value.Uint64()
		}
	}
	return used > uint64(limit)/5*4
}
