package pi

import "sync"

// inbox buffers pi's records until they are processed. It always accepts a
// record immediately, because a pi with a full output pipe blocks and could not
// respond to a stop.
type inbox struct {
	more chan struct{} // holds a token while there may be something to take

	mu        sync.Mutex
	records   []record
	listening bool
	ended     bool
}

func newInbox() inbox { return inbox{more: make(chan struct{}, 1)} }

// listen starts to keep records. Earlier ones are dropped.
func (b *inbox) listen() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listening, b.records = true, nil
}

// hush drops all waiting records, which it returns, and all later ones, until the
// next listen.
func (b *inbox) hush() []record {
	b.mu.Lock()
	defer b.mu.Unlock()
	dropped := b.records
	b.listening, b.records = false, nil
	return dropped
}

// put adds a record. It returns false if the inbox is not listening.
func (b *inbox) put(r record) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.listening {
		return false
	}
	b.records = append(b.records, r)
	b.wake()
	return true
}

// endInput marks that no more records will arrive.
func (b *inbox) endInput() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	b.wake()
}

// takeRecords returns the waiting records in order, and whether no more will
// arrive.
func (b *inbox) takeRecords() (records []record, ended bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	records, b.records = b.records, nil
	return records, b.ended
}

// wake must be called with mu held.
func (b *inbox) wake() {
	select {
	case b.more <- struct{}{}:
	default:
	}
}
