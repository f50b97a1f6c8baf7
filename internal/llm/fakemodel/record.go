package fakemodel

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// Request is the record of one request for a reply. At most one of Finished and
// Aborted is set. Both are zero while the reply is being sent, and stay zero if
// the server itself was closed before the end.
type Request struct {
	N        int       `json:"n"`        // 1 for the first since New or DELETE /requests
	At       time.Time `json:"at"`       // when the request had arrived with its whole body
	Model    string    `json:"model"`    // from the request
	Prompt   string    `json:"prompt"`   // text of the last user message
	Messages int       `json:"messages"` // how many messages the conversation has
	Raw      []byte    `json:"-"`        // the body as it came

	// FirstByte is the time just before the status line was sent.
	FirstByte time.Time `json:"first_byte,omitzero"`
	// Finished is the time just before the last bytes were sent, or the time at
	// which the script broke off the reply. It is recorded before sending, so
	// that a client that disconnects after reading the end does not count as
	// disconnected early. It is reset if the bytes could not be delivered.
	Finished time.Time `json:"finished,omitzero"`
	// Aborted is when the server detected that the client had disconnected
	// before the end.
	Aborted time.Time `json:"aborted,omitzero"`

	Sent     string `json:"sent"`               // answer text handed to the client so far
	Rejected string `json:"rejected,omitempty"` // why the request was refused
	Suspect  string `json:"suspect,omitempty"`  // what a lenient server let pass
	Status   int    `json:"status"`             // 0 until headers were sent
}

// journal keeps the records in order of arrival and notifies waiters of each
// change.
type journal struct {
	mu       sync.Mutex
	changed  chan struct{} // closed and replaced on every change
	entries  []*Request
	attempts map[string]int // number of requests per prompt and step, for [status … times K]
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

// reset removes all records. A running request keeps updating its record, which
// is no longer visible.
func (j *journal) reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = nil
	clear(j.attempts)
	j.wake()
}

// wake must be called with mu held.
func (j *journal) wake() {
	close(j.changed)
	j.changed = make(chan struct{})
}

// attempt returns how many requests with this prompt and step arrived before,
// and counts this one.
func (j *journal) attempt(prompt string, step int) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	key := strconv.Itoa(step) + " " + prompt
	j.attempts[key]++
	return j.attempts[key] - 1
}

// snapshot copies the records, but not the bodies, which are never modified.
// The channel is closed on the next change.
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

// Rejections returns the reasons of rejected requests in order of arrival. It
// is empty if all requests were valid.
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

// Wait blocks until holds returns true for the records, or until ctx ends. It
// calls holds immediately and then after every change. holds must not modify
// Raw.
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
