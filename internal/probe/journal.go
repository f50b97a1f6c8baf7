package probe

import (
	"context"
	"sync"
	"time"
)

// journal keeps what was heard in the order of the wire, and wakes those who
// wait for something in it. One goroutine adds; anybody may look.
type journal[T any] struct {
	mu      sync.Mutex
	heard   []T
	ended   bool
	changed chan struct{} // closed and replaced at every change
}

func newJournal[T any]() *journal[T] { return &journal[T]{changed: make(chan struct{})} }

func (j *journal[T]) addEntry(v T) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.heard = append(j.heard, v)
	j.wake()
}

// endInput marks that no more entries will arrive.
func (j *journal[T]) endInput() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended = true
	j.wake()
}

// wake must be called with the lock held.
func (j *journal[T]) wake() {
	close(j.changed)
	j.changed = make(chan struct{})
}

func (j *journal[T]) len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.heard)
}

// since is what was heard from position n on. It is not to be written to.
func (j *journal[T]) since(n int) []T {
	all, _, _ := j.look(n)
	return all
}

func (j *journal[T]) look(n int) (heard []T, ended bool, changed <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.heard[n:len(j.heard):len(j.heard)], j.ended, j.changed
}

// await waits for the first entry from position n on that fits, and returns it
// with its position; -1 when there is none within the time, or ctx ended, or
// nothing more will come.
func (j *journal[T]) await(ctx context.Context, n int, within time.Duration, fits func(T) bool) (T, int) {
	limited, done := context.WithTimeout(ctx, within)
	defer done()
	for {
		fresh, ended, changed := j.look(n)
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

// pause lets time pass.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
