package commitlog

import (
	"slices"
	"sync/atomic"
)

// stack is where journals wait for the committer. Many push without a lock, and
// one takes all.
type stack struct{ top atomic.Pointer[place] }

// place is a journal's on a stack.
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

// takeAll empties the stack and returns what was on it in the order it came.
func (s *stack) takeAll() []*Journal {
	var all []*Journal
	for p := s.top.Swap(nil); p != nil; p = p.below {
		all = append(all, p.journal)
	}
	slices.Reverse(all)
	return all
}
