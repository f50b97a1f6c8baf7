package commitlog

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Log is the ordered record of all sessions. Every durable change goes through
// its group commit: ops that arrive during a commit form the next one, and an
// idle log commits immediately.
//
// Appending an event takes no lock that sessions share. The event waits in its
// session's journal, and the journal is pushed to a lock-free stack that the
// committer empties. A commit takes a limited number of journals. Journals with
// an op that has a waiter, such as a stop, are taken first, however many others
// are streaming.
type Log struct {
	store store.Store
	opts  Options

	dirty   stack         // journals with waiting ops
	urgent  stack         // journals with an op that has a waiter
	backlog []*Journal    // dirty journals in order of arrival; used by the committer only
	wake    chan struct{} // contains a token while a stack may be non-empty

	health  health
	unseen  atomic.Bool // reading a session's newest sequence number failed; Refresh must read it
	closing chan struct{}
	closed  chan struct{}

	mu       sync.Mutex // protects journals; never taken to append an event
	journals map[bellcord.SessionID]*Journal
}

// Options configures a log.
type Options struct {
	Logger *slog.Logger
	Watch  func(store.Commit)                          // called after every commit, if not nil; must not block
	View   func(session bellcord.SessionID, more bool) // called when a session gains or loses a reader
	Clock  func() (now time.Time, uncertainty time.Duration)
}

// Open starts the committer; Close ends it.
func Open(store store.Store, opts Options) *Log {
	l := &Log{
		store: store, opts: opts,
		wake:     make(chan struct{}, 1),
		closing:  make(chan struct{}),
		closed:   make(chan struct{}),
		journals: map[bellcord.SessionID]*Journal{},
	}
	go l.commitAll()
	return l
}

// Closed returns a channel that is closed when the committer has ended. Nothing
// is committed after that.
func (l *Log) Closed() <-chan struct{} { return l.closed }

// Failing returns the reason why the store takes no commits, or nil. It does no
// I/O and takes no lock.
func (l *Log) Failing() error { return l.health.failing() }

// Polled records the result of polling the store.
func (l *Log) Polled(err error) { l.health.polled(err) }

// Unseen reports whether reading the newest sequence number of a session has
// failed since the last call. If so, the caller must call Refresh.
func (l *Log) Unseen() bool { return l.unseen.Swap(false) }

// Refresh wakes the readers of sessions to which other processes have appended
// events.
func (l *Log) Refresh(ctx context.Context) error { return l.readHeads(ctx, l.stale()) }

// Follow returns a cursor that reads a session after the given sequence number.
func (l *Log) Follow(ctx context.Context, session bellcord.SessionID, after int64) (*Cursor, error) {
	c := &Cursor{journal: l.Journal(session), after: after}
	l.opts.View(session, true) // before reading the store, so that no event is missed
	if err := c.journal.readHead(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close commits the waiting ops, as far as ctx allows, and ends the committer.
func (l *Log) Close(ctx context.Context) error {
	close(l.closing)
	select {
	case <-l.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// commitAll is the committer, the only goroutine that writes to the store.
func (l *Log) commitAll() {
	defer close(l.closed)
	for closing := false; !closing; {
		var probe <-chan time.Time
		if l.health.suspect() { // without waiting ops, only a probe detects that the store works again
			probe = time.After(probeStore)
		}
		select {
		case <-l.wake:
		case <-probe:
			_, err := l.store.Commit(context.Background(), nil)
			l.health.committed(err)
		case <-l.closing:
			closing = true
		}
		for batch := l.takeBatch(); len(batch) > 0; batch = l.takeBatch() {
			l.commit(batch)
		}
	}
}

// probeStore is the interval for probing a failing store when no op waits.
const probeStore = 250 * time.Millisecond

// mostOps is the number of ops after which a commit takes no more journals:
// enough to share the cost of a commit, few enough to finish within milliseconds.
const mostOps = 256

// mostCommit is the same limit in bytes. A single busy turn can reach it.
const mostCommit = 1 << 20

// takeBatch empties journals, the urgent ones first and the others in order of
// arrival. The order within a journal is kept; there is no order between
// sessions.
func (l *Log) takeBatch() []*Entry {
	var batch []*Entry
	bytes := 0
	add := func(entries []*Entry, size int) {
		batch = append(batch, entries...)
		bytes += size
	}
	for _, j := range l.urgent.takeAll() {
		add(j.takeWaiting(&j.onUrgent))
	}
	l.backlog = append(l.backlog, l.dirty.takeAll()...)
	taken := 0
	for taken < len(l.backlog) && len(batch) < mostOps && bytes < mostCommit {
		j := l.backlog[taken]
		add(j.takeWaiting(&j.onDirty))
		taken++
	}
	l.backlog = slices.Delete(l.backlog, 0, taken)
	return batch
}

// commit makes a batch durable and sets the results of its entries.
func (l *Log) commit(batch []*Entry) {
	if len(batch) == 0 {
		return
	}
	began := time.Now()
	results, err := l.store.Commit(context.Background(), opsOf(batch))
	if err != nil {
		l.retry(batch, err, began)
		return
	}
	l.settle(batch, results, began)
}

// settle sets the results of a committed batch.
func (l *Log) settle(batch []*Entry, results []store.Result, began time.Time) {
	l.health.committed(nil)
	took := time.Since(began)
	for i, e := range batch {
		e.journal.settled(e, results[i])
	}
	l.notifyWatch(took, results)
}

func opsOf(batch []*Entry) []store.Op {
	ops := make([]store.Op, len(batch))
	for i, e := range batch {
		ops[i] = e.op
	}
	return ops
}

// notifyWatch calls Options.Watch with the committed results.
func (l *Log) notifyWatch(took time.Duration, results []store.Result) {
	if l.opts.Watch == nil {
		return
	}
	c := store.Commit{Ops: len(results), Took: took}
	for _, r := range results {
		c.Events = append(c.Events, r.Events...)
	}
	l.opts.Watch(c)
}

func (l *Log) refuse(batch []*Entry, err error) {
	for _, e := range batch {
		e.journal.settled(e, store.Result{Err: errors.Join(bellcord.ErrClosed, err)})
	}
}

// Deliver passes durable events to the readers of their sessions. Events of other
// processes may arrive late, more than once or never.
func (l *Log) Deliver(events []bellcord.Event) {
	for len(events) > 0 {
		session, n := events[0].Session, 1
		for n < len(events) && events[n].Session == session {
			n++
		}
		l.mu.Lock()
		j := l.journals[session]
		l.mu.Unlock()
		if j != nil {
			j.mu.Lock()
			j.keep(events[:n])
			j.mu.Unlock()
		}
		events = events[n:]
	}
}

// push adds a journal to a stack and wakes the committer. The journal must not be
// on the stack.
func (l *Log) push(to *stack, j *Journal) {
	to.push(j)
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Journal returns the session's journal and adds a reference to it. Release
// removes the reference.
func (l *Log) Journal(session bellcord.SessionID) *Journal {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.journals[session]
	if j == nil {
		j = &Journal{log: l, session: session, grown: make(chan struct{}), drained: make(chan struct{})}
		l.journals[session] = j
	}
	j.holders++
	return j
}

// Release removes a reference to a journal and discards the journal with the last
// one.
func (l *Log) Release(j *Journal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j.holders--; j.holders == 0 {
		delete(l.journals, j.session)
	}
}

// stale marks every journal as possibly outdated and returns those with waiting
// readers. The others are refreshed by their next reader.
func (l *Log) stale() []*Journal {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*Journal
	for _, j := range l.journals {
		j.stale.Store(true)
		if j.waiting.Load() > 0 {
			j.stale.Store(false)
			all = append(all, j)
		}
	}
	return all
}
