package mcp

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

// errand is a call on its way, and what the wire sees of it. It travels in the
// context that the SDK hands on to the connection with each message, also with
// the one that says that the call is cancelled.
type errand struct {
	token    string
	state    atomic.Int32
	answered atomic.Bool // its response has come, or the server refused it
	once     sync.Once
	told     chan struct{} // closed when its cancelling has been written
	news     chan struct{} // holds one when there are lines

	mu    sync.Mutex
	lines []string
	lost  int // lines that nobody took in time
}

const (
	waiting   int32 = iota
	sent            // some of it may have reached the server
	withdrawn       // none of it ever will
)

type errandKey struct{}

func newErrand(token int64) *errand {
	return &errand{
		token: strconv.FormatInt(token, 10),
		told:  make(chan struct{}),
		news:  make(chan struct{}, 1),
	}
}

// errandOf returns the errand that a message belongs to, or nil.
func errandOf(ctx context.Context) *errand {
	e, _ := ctx.Value(errandKey{}).(*errand)
	return e
}

// markSent must be called before the first byte of the call is written. Only
// one of markSent and withdraw succeeds, so that a call that was sent is
// never reported as not started.
func (e *errand) markSent() bool {
	return e.state.CompareAndSwap(waiting, sent) || e.state.Load() == sent
}
func (e *errand) withdraw() bool { return e.state.CompareAndSwap(waiting, withdrawn) }

// unsend takes send back: not a byte has left.
func (e *errand) unsend() { e.state.CompareAndSwap(sent, waiting) }

func (e *errand) markCancelSent() { e.once.Do(func() { close(e.told) }) }

const (
	mostLines = 256     // that wait to be taken
	mostLine  = 2 << 10 // bytes of one
)

// progress adds a line. It never blocks: when the lines are not taken as fast
// as they come, the oldest are left out.
func (e *errand) progress(line string) {
	e.mu.Lock()
	if len(e.lines) == mostLines {
		e.lines = append(e.lines[:0], e.lines[1:]...)
		e.lost++
	}
	e.lines = append(e.lines, clip(line, mostLine))
	e.mu.Unlock()
	select {
	case e.news <- struct{}{}:
	default:
	}
}

// takeLines returns the lines that wait.
func (e *errand) takeLines() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	lines := e.lines
	if e.lost > 0 {
		lines = append([]string{fmt.Sprintf("[%d lines of progress omitted]", e.lost)}, lines...)
	}
	e.lines, e.lost = nil, 0
	return lines
}
