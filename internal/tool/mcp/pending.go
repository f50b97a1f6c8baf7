package mcp

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/llm"
	"github.com/bellcord/bellcord/internal/tool"
)

// pendingCall is the state of one call on the connection. It is a value of the
// context that the SDK passes to the connection with each message of the call,
// including its cancellation.
type pendingCall struct {
	token         string
	state         atomic.Int32
	answered      atomic.Bool // the response has arrived, or the server refused the call
	once          sync.Once
	cancelWritten chan struct{} // closed when the cancellation has been written
	news          chan struct{} // contains one element if there are lines

	// The turn that receives the server's questions during the call.
	ctx   context.Context
	turn  bellcord.TurnID
	asker tool.Asker
	media llm.Media // what the turn's model accepts

	mu    sync.Mutex
	lines []string
	lost  int // lines dropped because they were not taken in time
}

const (
	waiting   int32 = iota
	sent            // part of it may have reached the server
	withdrawn       // will never be sent
)

type pendingCallKey struct{}

func newPendingCall(token int64) *pendingCall {
	return &pendingCall{
		token:         strconv.FormatInt(token, 10),
		cancelWritten: make(chan struct{}),
		news:          make(chan struct{}, 1),
	}
}

// pendingCallOf returns the call that a message belongs to, or nil.
func pendingCallOf(ctx context.Context) *pendingCall {
	e, _ := ctx.Value(pendingCallKey{}).(*pendingCall)
	return e
}

// markSent must be called before the first byte of the call is written. Only
// one of markSent and withdraw succeeds, so that a call that was sent is never
// reported as not started.
func (e *pendingCall) markSent() bool {
	return e.state.CompareAndSwap(waiting, sent) || e.state.Load() == sent
}
func (e *pendingCall) withdraw() bool { return e.state.CompareAndSwap(waiting, withdrawn) }

// unsend reverts markSent, if no byte was written.
func (e *pendingCall) unsend() { e.state.CompareAndSwap(sent, waiting) }

func (e *pendingCall) markCancelSent() { e.once.Do(func() { close(e.cancelWritten) }) }

const (
	mostLines = 256     // lines that are kept until they are taken
	mostLine  = 2 << 10 // bytes per line
)

// progress adds a line. It never blocks: if lines arrive faster than they are
// taken, the oldest are dropped.
func (e *pendingCall) progress(line string) {
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

// takeLines returns and removes the lines.
func (e *pendingCall) takeLines() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	lines := e.lines
	if e.lost > 0 {
		lines = append([]string{fmt.Sprintf("[%d lines of progress omitted]", e.lost)}, lines...)
	}
	e.lines, e.lost = nil, 0
	return lines
}
