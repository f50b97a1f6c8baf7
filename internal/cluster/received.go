package cluster

import "time"

// memory is the number of messages of a stream that may overtake a message. If
// more do, the message is refused as a replay; the store contains its content.
const memory = 4096

// received records the numbers of a stream that have arrived. Its size is
// fixed.
type received struct {
	highest uint64
	recent  [memory / 64]uint64 // one bit for each of the last numbers, as a ring
	last    time.Time           // when the last message arrived
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
