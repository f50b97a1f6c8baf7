package fakemodel

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// Request is the record of one request for a reply. Of Finished and Aborted at
// most one is set; both are zero while the reply is under way, and stay so when
// the server itself was closed in the middle.
type Request struct {
	N        int       `json:"n"`        // 1 for the first since New or DELETE /requests
	At       time.Time `json:"at"`       // when the request had arrived with its whole body
	Model    string    `json:"model"`    // as asked for
	Prompt   string    `json:"prompt"`   // text of the last user message
	Messages int       `json:"messages"` // how many messages the conversation has
	Raw      []byte    `json:"-"`        // the body as it came

	// FirstByte is when the status line was about to leave.
	FirstByte time.Time `json:"first_byte,omitzero"`
	// Finished is when the last bytes were about to leave, or when the script
	// broke the reply off. It is noted before they leave, so that a client that
	// has read the end of a reply and hangs up is never taken for one that left
	// early; it is taken back if they turn out to be undeliverable.
	Finished time.Time `json:"finished,omitzero"`
	// Aborted is when the server saw that the client had left before the end.
	Aborted time.Time `json:"aborted,omitzero"`

	Sent     string `json:"sent"`               // answer text handed to the client so far
	Rejected string `json:"rejected,omitempty"` // why the request was refused
	Suspect  string `json:"suspect,omitempty"`  // what a lenient server let pass
	Status   int    `json:"status"`             // 0 until headers were sent
}

// journal keeps the records in order of arrival and wakes those who wait for a
// change.
type journal struct {
	mu       sync.Mutex
	changed  chan struct{} // closed and replaced at every change
	entries  []*Request
	attempts map[string]int // how often a prompt came, for [status … times K]
}

func newJournal() *journal {
	return &journal{changed: make(chan struct{}), attempts: map[string]int{}}
}

func (j *journal) addRequest(q Request) *Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	q.N = len(j.entries) + 1
	j.entries = append(j.entries, &q)
	j.wake()
	return &q
}

func (j *journal) update(q *Request, change func(*Request)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(q)
	j.wake()
}

// reset forgets everything. A request under way keeps its own record, which
// nobody sees any more.
func (j *journal) reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = nil
	clear(j.attempts)
	j.wake()
}

// wake must be called with the lock held.
func (j *journal) wake() {
	close(j.changed)
	j.changed = make(chan struct{})
}

// attempt says how often this step of this prompt was asked before.
func (j *journal) attempt(prompt string, step int) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	key := strconv.Itoa(step) + " " + prompt
	j.attempts[key]++
	return j.attempts[key] - 1
}

// snapshot copies the records, but not the bodies, which are never written to.
func (j *journal) snapshot() ([]Request, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make([]Request, len(j.entries))
	for i, q := range j.entries {
		out[i] = *q
	}
	return out, j.changed
}

// Requests returns copies of the records in order of arrival.
func (s *Server) Requests() []Request {
	out, _ := s.journal.snapshot()
	for i := range out {
		out[i].Raw = bytes.Clone(out[i].Raw)
	}
	return out
}

// Rejections returns, in order of arrival, what was wrong with the requests that
// were refused. A test that used the model properly finds none.
func (s *Server) Rejections() []string {
	records, _ := s.journal.snapshot()
	var out []string
	for _, q := range records {
		if q.Rejected != "" {
			out = append(out, q.Rejected)
		}
	}
	return out
}

// Wait blocks until the records satisfy holds, which is asked at once and then
// after every change, or until ctx ends. holds must not write to Raw.
func (s *Server) Wait(ctx context.Context, holds func([]Request) bool) error {
	for {
		records, changed := s.journal.snapshot()
		if holds(records) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the fake model's records: %w", context.Cause(ctx))
		}
	}
}
