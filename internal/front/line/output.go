package line

import (
	"errors"
	"io"
	"sync"
	"time"
)

// ErrDeaf means that a terminal takes nothing: it was left as it is, and nothing
// can be said on it.
var ErrDeaf = errors.New("the terminal accepts no output")

// Parting is how long a terminal may take for the last that is written to it.
const Parting = 300 * time.Millisecond

// Output is a terminal that nobody waits for. One that takes nothing, such as the
// far end of a network that is gone, must not keep a key from stopping a turn, nor
// a signal from ending the program.
//
// What is written piles up meanwhile: whoever has much to say asks first whether
// the terminal is behind.
type Output struct {
	// Freed has something when a terminal that was said to be behind has taken
	// everything.
	Freed <-chan struct{}

	freed   chan struct{}
	to      io.Writer
	mu      sync.Mutex
	pending []byte
	passed  chan struct{} // closed when all is written; nil where nothing is on its way
	asked   bool          // whether it is behind, and it is
	err     error         // of the last write
}

// NewOutput returns an output to a terminal.
func NewOutput(to io.Writer) *Output {
	freed := make(chan struct{}, 1)
	return &Output{to: to, freed: freed, Freed: freed}
}

// Write implements io.Writer. It returns at once.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	o.pending = append(o.pending, p...)
	if o.passed == nil {
		o.passed = make(chan struct{})
		go o.pass() // not waited for: it may hang as long as the terminal does
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
	if o.asked {
		select {
		case o.freed <- struct{}{}:
		default: // whoever asked has not looked yet
		}
	}
	o.passed, o.asked = nil, false
	o.mu.Unlock()
}

// Behind reports whether the terminal has not taken all yet. Whoever is told so is
// told by Freed when it has.
func (o *Output) Behind() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = o.passed != nil
	return o.asked
}

// Drained waits until the terminal has taken everything, or for the bound.
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
