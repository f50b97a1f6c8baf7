package netproxy

import (
	"context"
	"sync"
)

// Memory contains the hosts that were allowed for a session, and the questions
// that are open. The zero value is empty. It is safe for concurrent use.
type Memory struct {
	mu      sync.Mutex
	allowed map[string]bool
	open    map[string]*question
}

// question is a question that one request asks and others wait for.
type question struct {
	done     chan struct{} // closed when the fields below are set
	allowed  bool
	answered bool // false if the request that asked has left
}

// allows reports whether an earlier answer allows a host.
func (m *Memory) allows(host string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.allowed[host]
}

// ask reports whether a host is allowed, by an earlier answer or by a question, and
// whether there was an answer. If the same question is open, it waits for the answer
// to that one. If the request that asked it leaves, one of those that wait asks again.
func (m *Memory) ask(ctx context.Context, host string, ask func(context.Context, string) (Answer, error)) (allowed, answered bool) {
	for ctx.Err() == nil {
		q, mine, allowed := m.begin(host, ask != nil)
		switch {
		case allowed:
			return true, true
		case q == nil:
			return false, false
		case mine:
			m.settle(ctx, host, q, ask)
			return q.allowed, q.answered
		}
		select {
		case <-q.done:
			if q.answered {
				return q.allowed, true
			}
		case <-ctx.Done():
		}
	}
	return false, false
}

// begin returns the open question about a host, and whether the caller must ask
// it. q is nil if the host is allowed already, or cannot be asked about.
func (m *Memory) begin(host string, canAsk bool) (q *question, mine, allowed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.allowed[host] {
		return nil, false, true
	}
	if !canAsk {
		return nil, false, false
	}
	if q = m.open[host]; q != nil {
		return q, false, false
	}
	q = &question{done: make(chan struct{})}
	if m.open == nil {
		m.open = make(map[string]*question)
	}
	m.open[host] = q
	return q, true, false
}

// settle asks a question and stores the answer.
func (m *Memory) settle(ctx context.Context, host string, q *question, ask func(context.Context, string) (Answer, error)) {
	answer := Refuse
	var err error
	defer func() { // also if ask panics
		m.mu.Lock()
		defer m.mu.Unlock()
		q.answered = ctx.Err() == nil || err == nil
		q.allowed = err == nil && (answer == Once || answer == Session)
		if err == nil && answer == Session {
			if m.allowed == nil {
				m.allowed = make(map[string]bool)
			}
			m.allowed[host] = true
		}
		delete(m.open, host)
		close(q.done)
	}()
	answer, err = ask(ctx, host)
}
