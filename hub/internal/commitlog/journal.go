package commitlog

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Journal is one session's part of the log: the ops that wait for the next
// commit, and the newest durable events, so that readers that keep up do not read
// from the store.
type Journal struct {
	log     *Log
	session bellcord.SessionID
	holders int // protected by Log.mu
	waiting atomic.Int32
	stale   atomic.Bool // another process may have appended events since the store was last read

	mu       sync.Mutex
	waits    []*Entry // in order, for the next commit
	size     int      // bytes in waits
	onDirty  bool     // the journal is on the dirty stack or in the backlog
	onUrgent bool
	drained  chan struct{}    // closed and replaced when waits is taken
	last     int64            // newest durable sequence number seen here
	tail     []bellcord.Event // newest durable events, without gaps
	kept     int              // bytes in tail
	grown    chan struct{}    // closed and replaced when last grows
}

// Entry is an op that is queued for the store.
type Entry struct {
	journal *Journal
	op      store.Op
	writer  *Writer // for an append, its writer
	result  store.Result
	done    chan struct{} // closed when result is set
	state   entryState    // protected by Journal.mu
	leaving bool          // the caller no longer waits: drop the entry if its commit fails; protected by Journal.mu
}

// Memory limits of a session.
const (
	mostWaiting = 256 << 10 // bytes not yet durable, beyond which a turn's writes block
	mostTail    = 16 << 10  // bytes of durable events kept for readers
	mostEvents  = 64        // number of durable events kept for readers
)

// Put queues an op for the next commit. It does not block.
func (j *Journal) Put(op store.Op) *Entry {
	e := &Entry{journal: j, op: op, done: make(chan struct{})}
	j.mu.Lock()
	j.enqueueLocked(e, 0)
	j.mu.Unlock()
	return e
}

// enqueueLocked queues an entry. It requires j.mu.
func (j *Journal) enqueueLocked(e *Entry, size int) {
	j.waits = append(j.waits, e)
	j.size += size
	if _, streams := e.op.(store.AppendEvents); !streams {
		j.hurry()
	}
	if !j.onDirty {
		j.onDirty = true
		j.log.push(&j.log.dirty, j)
	}
}

// hurry moves the waiting ops into the next commit. It requires j.mu.
func (j *Journal) hurry() {
	if !j.onUrgent && len(j.waits) > 0 {
		j.onUrgent = true
		j.log.push(&j.log.urgent, j)
	}
}

// Wait returns the entry's result once it has been committed, or an error when
// ctx ends or the log closes first.
func (e *Entry) Wait(ctx context.Context) (store.Result, error) {
	why := bellcord.ErrClosed
	select {
	case <-e.done:
	case <-ctx.Done():
		why = ctx.Err()
	case <-e.journal.log.closed: // the committer has ended and commits nothing more
	}
	select {
	case <-e.done: // a result takes precedence over ctx
		return e.result, e.result.Err
	default:
		return store.Result{}, why
	}
}

// Done returns a channel that is closed when the entry has its result.
func (e *Entry) Done() <-chan struct{} { return e.done }

// Result returns the entry's result. It must not be called before Done is closed.
func (e *Entry) Result() store.Result { return e.result }

// Again queues another op in the entry's journal.
func (e *Entry) Again(op store.Op) *Entry { return e.journal.Put(op) }

// takeWaiting removes and returns all waiting entries. It clears mark, the flag
// of the stack on which the committer found the journal.
func (j *Journal) takeWaiting(mark *bool) (batch []*Entry, size int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	*mark = false
	if len(j.waits) == 0 {
		return nil, 0
	}
	batch, size = j.waits, j.size
	for _, e := range batch {
		e.state = inCommit
		if e.writer != nil && e.writer.open == e {
			e.writer.open = nil // later bodies go into the next commit
		}
	}
	j.waits, j.size = nil, 0
	close(j.drained)
	j.drained = make(chan struct{})
	return batch, size
}

// settled sets an entry's result and wakes its waiters.
func (j *Journal) settled(e *Entry, r store.Result) {
	e.result = r
	if e.writer != nil {
		e.writer.answered(r)
	}
	j.deliver(r.Events)
	close(e.done)
}

// deliver passes the events of an entry to the readers of their sessions. An op
// without an open session may have added events to several.
func (j *Journal) deliver(events []bellcord.Event) {
	if len(events) == 0 {
		return
	}
	for _, ev := range events {
		if ev.Session != j.session {
			j.log.Deliver(events)
			return
		}
	}
	j.mu.Lock()
	j.keep(events)
	j.mu.Unlock()
}

// keep adds durable events to the tail and wakes the readers. Events of other
// processes may arrive late, more than once or never. It requires j.mu.
func (j *Journal) keep(events []bellcord.Event) {
	newest := int64(-1)
	if n := len(j.tail); n > 0 {
		newest = j.tail[n-1].Seq
	}
	for _, ev := range events {
		if ev.Seq <= newest {
			continue
		}
		if newest >= 0 && ev.Seq != newest+1 {
			j.tail, j.kept = nil, 0 // events in between are missing: readers read them from the store
		}
		j.tail = append(j.tail, ev)
		j.kept += sizeOf(ev.Body)
		newest = ev.Seq
	}
	if newest < 0 {
		return
	}
	drop := 0
	for len(j.tail)-drop > mostEvents || (j.kept > mostTail && len(j.tail)-drop > 1) {
		j.kept -= sizeOf(j.tail[drop].Body)
		drop++
	}
	if drop > 0 {
		j.tail = append([]bellcord.Event(nil), j.tail[drop:]...)
	}
	j.grewTo(newest)
}

// grewTo updates the newest sequence number and wakes the readers. It requires
// j.mu.
func (j *Journal) grewTo(seq int64) {
	if seq > j.last {
		j.last = seq
		close(j.grown)
		j.grown = make(chan struct{})
	}
}

// readHead reads the session's newest sequence number from the store.
func (j *Journal) readHead(ctx context.Context) error {
	seq, err := j.log.store.Tail(ctx, j.session)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.grewTo(seq)
	return nil
}

// readHeads is Journal.readHead for several journals at once.
func (l *Log) readHeads(ctx context.Context, journals []*Journal) error {
	if len(journals) == 0 {
		return nil
	}
	sessions := make([]bellcord.SessionID, len(journals))
	for i, j := range journals {
		sessions[i] = j.session
	}
	ends, err := l.store.Tails(ctx, sessions)
	if err != nil {
		return err
	}
	for i, j := range journals {
		j.mu.Lock()
		j.grewTo(ends[i])
		j.mu.Unlock()
	}
	return nil
}
