package auth

import (
	"container/heap"
	"sync"
	"time"
)

// shelf is an in-memory map with an expiry time per entry and a fixed capacity.
// When it is full, the entry that expires first is dropped. It holds everything
// that unauthenticated clients can cause to be stored.
type shelf[K comparable, V any] struct {
	capacity int

	mu    sync.Mutex
	byKey map[K]*place[K, V]
	order line[K, V]
}

func newShelf[K comparable, V any](room int) *shelf[K, V] {
	return &shelf[K, V]{capacity: room, byKey: map[K]*place[K, V]{}}
}

// until returns the expiry time of an entry, or the zero time if there is no
// entry.
func (s *shelf[K, V]) until(key K) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy()
	if p := s.byKey[key]; p != nil {
		return p.until
	}
	return time.Time{}
}

// peek returns the value of an entry without removing it.
func (s *shelf[K, V]) peek(key K) (value V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy()
	if p := s.byKey[key]; p != nil {
		return p.value, true
	}
	return value, false
}

// put stores a value, replacing an existing one.
func (s *shelf[K, V]) put(key K, value V, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy()
	if p := s.byKey[key]; p != nil {
		p.value, p.until = value, until
		heap.Fix(&s.order, p.index)
		return
	}
	s.insert(key, value, until)
}

// putNew stores a value unless the key has one. Of several concurrent calls,
// exactly one returns true.
func (s *shelf[K, V]) putNew(key K, value V, until time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy()
	if s.byKey[key] != nil {
		return false
	}
	s.insert(key, value, until)
	return true
}

// removeKey removes a value and returns it. Of several concurrent calls,
// exactly one gets it.
func (s *shelf[K, V]) removeKey(key K) (value V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy()
	p := s.byKey[key]
	if p == nil {
		return value, false
	}
	s.drop(p)
	return p.value, true
}

func (s *shelf[K, V]) insert(key K, value V, until time.Time) {
	if len(s.order) >= s.capacity {
		s.drop(s.order[0])
	}
	p := &place[K, V]{key: key, value: value, until: until}
	s.byKey[key] = p
	heap.Push(&s.order, p)
}

func (s *shelf[K, V]) tidy() {
	now := time.Now()
	for len(s.order) > 0 && !s.order[0].until.After(now) {
		s.drop(s.order[0])
	}
}

func (s *shelf[K, V]) drop(p *place[K, V]) {
	heap.Remove(&s.order, p.index)
	delete(s.byKey, p.key)
}

type place[K comparable, V any] struct {
	key   K
	value V
	until time.Time
	index int
}

// line is a heap ordered by expiry time.
type line[K comparable, V any] []*place[K, V]

func (l line[K, V]) Len() int           { return len(l) }
func (l line[K, V]) Less(i, j int) bool { return l[i].until.Before(l[j].until) }

func (l line[K, V]) Swap(i, j int) {
	l[i], l[j] = l[j], l[i]
	l[i].index, l[j].index = i, j
}

// Push implements heap.Interface.
func (l *line[K, V]) Push(x any) {
	p := x.(*place[K, V])
	p.index = len(*l)
	*l = append(*l, p)
}

// Pop implements heap.Interface.
func (l *line[K, V]) Pop() any {
	last := len(*l) - 1
	p := (*l)[last]
	(*l)[last] = nil
	*l = (*l)[:last]
	return p
}
