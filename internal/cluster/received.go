package cluster

import "time"

// memory is how many messages of a stream may overtake one. One that is overtaken
// by more is taken for a replay; then the store has it.
const memory = 4096

// received records which numbers of a stream have arrived. Its size is fixed.
type received struct {
	highest uint64
	recent  [memory / 64]uint64 // a bit for each of the last numbers, in a ring
	last    time.Time           // when a message arrived
}

// recordNumber records a number and reports whether it is new. Numbers begin at 1.
func (r *received) recordNumber(number uint64) bool {
	switch {
	case number == 0 || number+memory <= r.highest:
		return false
	case number > r.highest:
		for skipped := max(r.highest, number-min(number, memory)) + 1; skipped < number; skipped++ {
			r.clear(skipped)
		}
		r.highest = number
	case r.has(number):
		return false
	}
	r.recent[number/64%uint64(len(r.recent))] |= 1 << (number % 64)
	return true
}

func (r *received) has(number uint64) bool {
	return r.recent[number/64%uint64(len(r.recent))]&(1<<(number%64)) != 0
}

func (r *received) clear(number uint64) {
	r.recent[number/64%uint64(len(r.recent))] &^= 1 << (number % 64)
}
