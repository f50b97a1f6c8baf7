package commitlog

import (
	"slices"
	"sync/atomic"
)

// stack is a lock-free stack of journals that wait for the committer. Any
// goroutine may push; one takes all.
type stack struct{ top atomic.Pointer[place] }

// place is a node of a stack.
type place struct {
	journal *Journal
	below   *place
}

func (s *stack) push(j *Journal) {
	p := &place{journal: j}
	for {
		p.below = s.top.Load()
		if s.top.CompareAndSwap(p.below, p) {
			return
		}
	}
}

// takeAll empties the stack and returns its journals in the order they were
// pushed.
func (s *stack) takeAll() []*Journal {
	var all []*Journal
	for p := s.top.Swap(nil); p != nil; p = p.below {
		all = append(all, p.journal)
	}
	slices.Reverse(all)
	return all
}
