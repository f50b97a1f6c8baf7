package commitlog

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/bellcord/bellcord"
)

// Journal is one session's part of the log: the ops that wait for the next
// commit, and the newest durable events, so that readers who keep up need not
// ask the store.
type Journal struct {
	log     *Log
	session bellcord.SessionID
	holders int // guarded by log.mu
	waiting atomic.Int32
	stale   atomic.Bool // another process may have added to it since we looked

	mu       sync.Mutex
	waits    []*Entry // in order, for the next commit
	size     int      // bytes in waits
	onDirty  bool     // it stands on the log's stack, or in its backlog
	onUrgent bool
	room     chan struct{}    // closed and replaced when waits is taken
	last     int64            // newest durable seq known here
	tail     []bellcord.Event // some newest durable events, without a hole among them
	kept     int              // bytes in tail
	grown    chan struct{}    // closed and replaced when last grows
}

// Entry is an op on its way to the store.
type Entry struct {
	journal *Journal
	op      bellcord.Op
	writer  *Writer // of an append: whose
	result  bellcord.Result
	done    chan struct{} // closed when result is there
	state   entryState    // guarded by the journal's lock, as is
	leaving bool          // that its caller no longer waits, and it is to be dropped
}

// Bounds of what a session may hold in memory.
const (
	mostWaiting = 256 << 10 // bytes not yet durable; a turn that is ahead by more has to wait
	mostTail    = 16 << 10  // bytes of durable events kept for readers
	mostEvents  = 64        // and their number
)

// Put queues an op for the next commit. It does not block.
func (j *Journal) Put(op bellcord.Op) *Entry {
	e := &Entry{journal: j, op: op, done: make(chan struct{})}
	j.mu.Lock()
	j.enqueueLocked(e, 0)
	j.mu.Unlock()
	return e
}

// enqueueLocked queues an entry; j.mu is held.
func (j *Journal) enqueueLocked(e *Entry, size int) {
	j.waits = append(j.waits, e)
	j.size += size
	if _, streams := e.op.(bellcord.AppendEvents); !streams {
		j.hurry()
	}
	if !j.onDirty {
		j.onDirty = true
		j.log.push(&j.log.dirty, j)
	}
}

// hurry has what waits go with the next commit; j.mu is held.
func (j *Journal) hurry() {
	if !j.onUrgent && len(j.waits) > 0 {
		j.onUrgent = true
		j.log.push(&j.log.urgent, j)
	}
}

// Wait returns the entry's result once it has been committed.
func (e *Entry) Wait(ctx context.Context) (bellcord.Result, error) {
	why := bellcord.ErrClosed
	select {
	case <-e.done:
	case <-ctx.Done():
		why = ctx.Err()
	case <-e.journal.log.closed: // the committer has gone: what it did not do stays undone
	}
	select {
	case <-e.done: // before all else: what is there is there
		return e.result, e.result.Err
	default:
		return bellcord.Result{}, why
	}
}

// Done is closed when the entry has its result.
func (e *Entry) Done() <-chan struct{} { return e.done }

// Result returns the entry's result; only after Done is closed.
func (e *Entry) Result() bellcord.Result { return e.result }

// Again queues another op behind the entry, in its journal.
func (e *Entry) Again(op bellcord.Op) *Entry { return e.journal.Put(op) }

// takeWaiting returns all waiting entries to the committer and clears mark,
// the flag under which the committer found the journal.
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
			e.writer.open = nil // what comes now goes into the next commit
		}
	}
	j.waits, j.size = nil, 0
	close(j.room)
	j.room = make(chan struct{})
	return batch, size
}

// settled records the store's answer to an entry and tells who waits for it.
func (j *Journal) settled(e *Entry, r bellcord.Result) {
	e.result = r
	if e.writer != nil {
		e.writer.answered(r)
	}
	j.deliver(r.Events)
	close(e.done)
}

// deliver hands what an entry added to the readers: of this session, or of others
// for an op that belongs to no open session.
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

// keep adds durable events to the tail and wakes the readers; j.mu is held. Of
// another process's some may come twice, late or never.
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
			j.tail, j.kept = nil, 0 // somebody else's are in between: readers ask the store
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

// grewTo wakes the readers; j.mu is held.
func (j *Journal) grewTo(seq int64) {
	if seq > j.last {
		j.last = seq
		close(j.grown)
		j.grown = make(chan struct{})
	}
}

// look asks the store whether another process has added to the session.
func (j *Journal) look(ctx context.Context) error {
	seq, err := j.log.store.Tail(ctx, j.session)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.grewTo(seq)
	return nil
}

// look is for many journals at once.
func (l *Log) look(ctx context.Context, journals []*Journal) error {
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

func sizeOf(b bellcord.Body) int {
	const fixed = 64
	switch b := b.(type) {
	case bellcord.TextDelta:
		return fixed + len(b.Text)
	case bellcord.ThinkingDelta:
		return fixed + len(b.Text)
	case bellcord.ToolOutputDelta:
		return fixed + len(b.Text)
	case bellcord.ToolCallEnded:
		return fixed + len(b.Result)
	case bellcord.ToolCallRequested:
		return fixed + len(b.Arguments)
	case bellcord.TurnAccepted:
		size := fixed + len(b.Text)
		for _, image := range b.Images {
			size += len(image.Data)
		}
		return size
	case bellcord.PromptEdited:
		return fixed + len(b.Text)
	case bellcord.AttachmentLoaded:
		return fixed + len(b.Text)
	case bellcord.ConversationCompacted:
		return fixed + len(b.Summary)
	case bellcord.ThinkingSigned:
		return fixed + len(b.Signature)
	}
	return 2 * fixed
}
