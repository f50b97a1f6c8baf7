package pi

import "sync"

// inbox holds what pi has said and nobody has looked at. It takes everything at
// once: a pi that is not read stalls, and its word would stall with it.
type inbox struct {
	more chan struct{} // holds a token while there may be something to take

	mu        sync.Mutex
	records   []record
	listening bool
	ended     bool
}

func newInbox() inbox { return inbox{more: make(chan struct{}, 1)} }

// listen begins to keep what comes; what came before concerns nobody.
func (b *inbox) listen() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listening, b.records = true, nil
}

// hush drops what has come and will come, until the next listen.
func (b *inbox) hush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listening, b.records = false, nil
}

// put adds a record; false means that nobody listens.
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

// back returns records that were taken and not looked at.
func (b *inbox) back(records []record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records = append(append([]record(nil), records...), b.records...)
	b.wake()
}

// takeRecords returns the waiting records in order, and whether they are the
// last ones.
func (b *inbox) takeRecords() (records []record, ended bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	records, b.records = b.records, nil
	return records, b.ended
}

// wake is called with the lock held.
func (b *inbox) wake() {
	select {
	case b.more <- struct{}{}:
	default:
	}
}
