package probe

import (
	"context"
	"sync"
	"time"
)

// journal stores messages in the order of their arrival and wakes the
// goroutines that wait for one of them. One goroutine adds entries; any
// goroutine may read.
type journal[T any] struct {
	mu       sync.Mutex
	received []T
	ended    bool
	changed  chan struct{} // closed and replaced at every change
}

func newJournal[T any]() *journal[T] { return &journal[T]{changed: make(chan struct{})} }

func (j *journal[T]) addEntry(v T) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.received = append(j.received, v)
	j.wake()
}

// endInput marks that no more entries will arrive.
func (j *journal[T]) endInput() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended = true
	j.wake()
}

// wake must be called with mu held.
func (j *journal[T]) wake() {
	close(j.changed)
	j.changed = make(chan struct{})
}

func (j *journal[T]) len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.received)
}

// since returns the entries from position n on. The caller must not modify
// them.
func (j *journal[T]) since(n int) []T {
	all, _, _ := j.snapshot(n)
	return all
}

func (j *journal[T]) snapshot(n int) (received []T, ended bool, changed <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.received[n:len(j.received):len(j.received)], j.ended, j.changed
}

// await waits for the first entry from position n on for which fits returns
// true, and returns it with its position. It returns -1 if the time is over,
// ctx is done, or no more entries will arrive.
func (j *journal[T]) await(ctx context.Context, n int, within time.Duration, fits func(T) bool) (T, int) {
	limited, done := context.WithTimeout(ctx, within)
	defer done()
	for {
		fresh, ended, changed := j.snapshot(n)
		for i, v := range fresh {
			if fits(v) {
				return v, n + i
			}
		}
		n += len(fresh)
		var none T
		if ended {
			return none, -1
		}
		select {
		case <-changed:
		case <-limited.Done():
			return none, -1
		}
	}
}

// pause waits for a duration or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
