package auth

import (
	"container/heap"
	"sync"
	"time"
)

// shelf keeps things in memory, each until a time of its own, and never more
// than it has room for: when it is full, what would be the first to go makes
// room. What strangers can cause to be kept is kept on one.
type shelf[K comparable, V any] struct {
	room int

	mu    sync.Mutex
	byKey map[K]*place[K, V]
	order line[K, V]
}

func newShelf[K comparable, V any](room int) *shelf[K, V] {
	return &shelf[K, V]{room: room, byKey: map[K]*place[K, V]{}}
}

// until returns until when the thing is kept; zero when it is not there.
func (s *shelf[K, V]) until(key K) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy()
	if p := s.byKey[key]; p != nil {
		return p.until
	}
	return time.Time{}
}

// look returns a thing that is kept, and leaves it.
func (s *shelf[K, V]) look(key K) (value V, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy()
	if p := s.byKey[key]; p != nil {
		return p.value, true
	}
	return value, false
}

// put keeps a thing, in place of what was there.
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
	if len(s.order) >= s.room {
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

// line is a heap: the first to go is in front.
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
