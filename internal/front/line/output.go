package line

import (
	"errors"
	"io"
	"sync"
	"time"
)

// ErrDeaf means that a terminal accepts no output: it could not be restored, and
// no message can be shown on it.
var ErrDeaf = errors.New("the terminal accepts no output")

// Parting is how long a terminal may take to accept the last output.
const Parting = 300 * time.Millisecond

// Output is a terminal that writers do not wait for. A terminal that accepts
// nothing, such as the far end of a broken network connection, must not keep a
// key from stopping a turn, nor a signal from ending the program.
//
// Pending output accumulates meanwhile: before you write much, check Behind.
type Output struct {
	// Freed is signaled when a terminal that Behind reported has accepted
	// everything.
	Freed <-chan struct{}

	freed    chan struct{}
	to       io.Writer
	mu       sync.Mutex
	pending  []byte
	passed   chan struct{} // closed when all is written; nil if nothing is pending
	reported bool          // Behind has returned true
	err      error         // error of the last write
}

// NewOutput returns an output to a terminal.
func NewOutput(to io.Writer) *Output {
	freed := make(chan struct{}, 1)
	return &Output{to: to, freed: freed, Freed: freed}
}

// Write implements io.Writer. It returns immediately, with the error of an
// earlier write, if any.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	o.pending = append(o.pending, p...)
	if o.passed == nil {
		o.passed = make(chan struct{})
		go o.pass() // not waited for: it may block as long as the terminal does
	}
	return len(p), nil
}

func (o *Output) pass() {
	o.mu.Lock()
	for len(o.pending) > 0 && o.err == nil {
		now := o.pending
		o.pending = nil
		o.mu.Unlock()
		_, err := o.to.Write(now)
		o.mu.Lock()
		o.err = err
	}
	close(o.passed)
	if o.reported {
		select {
		case o.freed <- struct{}{}:
		default: // the previous value was not received yet
		}
	}
	o.passed, o.reported = nil, false
	o.mu.Unlock()
}

// Behind reports whether the terminal has not accepted all output yet. If it
// returns true, Freed is signaled when the terminal has.
func (o *Output) Behind() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reported = o.passed != nil
	return o.reported
}

// Drained waits until the terminal has accepted everything, at most for bound,
// and reports whether it has.
func (o *Output) Drained(bound time.Duration) bool {
	o.mu.Lock()
	passed := o.passed
	o.mu.Unlock()
	if passed == nil {
		return true
	}
	select {
	case <-passed:
		return true
	case <-time.After(bound):
		return false
	}
}
