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
)

// Log is the one ordered record that every front reads. All that is to be
// durable goes through its group commit: what arrived while the last commit was
// under way forms the next one, and an idle log commits at once.
//
// An event meets no lock that all sessions share. It waits in its session's
// journal; a journal that has something to commit stands on a lock-free stack,
// which the committer takes whole. A commit takes only so many journals: what
// somebody waits for, a stop before all, goes with the next one, however many
// others are streaming.
type Log struct {
	store bellcord.Store
	opts  Options

	dirty   stack         // journals with waiting ops
	urgent  stack         // those of them with an op that somebody waits for
	backlog []*Journal    // of the committer: dirty ones, in the order they came
	wake    chan struct{} // holds one token while a stack may be non-empty

	health  health
	unseen  atomic.Bool // the end of a session could not be looked up: the sweep has to
	closing chan struct{}
	closed  chan struct{}

	mu       sync.Mutex // guards journals, which opens and closes take, events never
	journals map[bellcord.SessionID]*Journal
}

// Options configure a log.
type Options struct {
	Logger *slog.Logger
	Watch  func(bellcord.Commit)                       // called with every commit, if not nil; must not wait
	View   func(session bellcord.SessionID, more bool) // called when a session gets or loses a reader
}

// Open starts the committer; Close ends it.
func Open(store bellcord.Store, opts Options) *Log {
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

// Closed is closed when the committer has ended: what it did not commit stays
// undone.
func (l *Log) Closed() <-chan struct{} { return l.closed }

// Failing returns why the store takes no commits, nil while it does. It does no
// I/O and takes no lock.
func (l *Log) Failing() error { return l.health.failing() }

// Looked takes the result of a look at the store from outside of the log.
func (l *Log) Looked(err error) { l.health.looked(err) }

// Unseen reports whether the log could not look up the end of a session since it
// was last asked: then Refresh has to.
func (l *Log) Unseen() bool { return l.unseen.Swap(false) }

// Refresh looks for events that other processes added to sessions with readers.
func (l *Log) Refresh(ctx context.Context) error { return l.look(ctx, l.stale()) }

// Follow returns a cursor behind the given sequence number of a session.
func (l *Log) Follow(ctx context.Context, session bellcord.SessionID, after int64) (*Cursor, error) {
	c := &Cursor{journal: l.Journal(session), after: after}
	l.opts.View(session, true) // before the look: what comes in between is in the store
	if err := c.journal.look(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Close commits what waits, as far as ctx allows, and ends the committer.
func (l *Log) Close(ctx context.Context) error {
	close(l.closing)
	select {
	case <-l.closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// commitAll is the committer: the only goroutine that writes to the store.
func (l *Log) commitAll() {
	defer close(l.closed)
	for closing := false; !closing; {
		var probe <-chan time.Time
		if l.health.suspect() { // all that waited was withdrawn: nothing else finds out that the store works again
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

// probeStore is how often a failing store is tried while nothing waits for it.
const probeStore = 250 * time.Millisecond

// mostOps is how many ops a commit takes before it leaves the rest to the next:
// enough to share the cost of a commit, few enough to be done in some
// milliseconds.
const mostOps = 256

// mostCommit is the same for its bytes: a turn that pours out a lot fills it
// alone.
const mostCommit = 1 << 20

// takeBatch empties journals, the urgent ones first, then in the order in which they
// came. A journal's own order is kept; between sessions there is none.
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

// commit makes a batch durable and answers its entries. While the store
// fails it tries again: turns go on into their journals, which are bounded.
func (l *Log) commit(batch []*Entry) {
	if len(batch) == 0 {
		return
	}
	began := time.Now()
	results, err := l.store.Commit(context.Background(), opsOf(batch))
	again, certain := err != nil, true
	for wait := 10 * time.Millisecond; err != nil; wait = min(2*wait, time.Second) {
		l.opts.Logger.Error("commit failed, retrying", "ops", len(batch), "err", err)
		l.health.committed(err)
		certain = certain && errors.Is(err, bellcord.ErrNotCommitted)
		batch = pausing(batch, certain)
		select {
		case <-time.After(wait):
		case <-l.closing:
			l.refuse(resuming(batch), err)
			return
		}
		if batch = resuming(batch); len(batch) == 0 {
			return
		}
		results, err = l.store.Commit(context.Background(), opsOf(batch))
	}
	l.health.committed(nil)
	took := time.Since(began)
	for i, e := range batch {
		e.journal.settled(e, results[i])
		if again { // an op that was there already does not say which events it had added
			l.lookAt(e.journal)
		}
	}
	l.notifyWatch(took, results)
}

func opsOf(batch []*Entry) []bellcord.Op {
	ops := make([]bellcord.Op, len(batch))
	for i, e := range batch {
		ops[i] = e.op
	}
	return ops
}

// lookAt looks for the end of a session; where that fails, the sweep will.
func (l *Log) lookAt(j *Journal) {
	ctx, done := context.WithTimeout(context.Background(), lookTimeout)
	defer done()
	if err := j.look(ctx); err != nil {
		l.unseen.Store(true)
		l.opts.Logger.Error("cannot read the session's last event number", "session", j.session, "err", err)
	}
}

// lookTimeout bounds a look at the end of a session.
const lookTimeout = 5 * time.Second

// notifyWatch calls the Watch function with what became durable.
func (l *Log) notifyWatch(took time.Duration, results []bellcord.Result) {
	if l.opts.Watch == nil {
		return
	}
	c := bellcord.Commit{Ops: len(results), Took: took}
	for _, r := range results {
		c.Events = append(c.Events, r.Events...)
	}
	l.opts.Watch(c)
}

func (l *Log) refuse(batch []*Entry, err error) {
	for _, e := range batch {
		e.journal.settled(e, bellcord.Result{Err: errors.Join(bellcord.ErrClosed, err)})
	}
}

// Deliver hands durable events to the readers of their sessions. Of other
// processes' events some may come twice, late or never.
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

// push puts a journal on a stack, on which it is not yet, and wakes the committer.
func (l *Log) push(to *stack, j *Journal) {
	to.push(j)
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Journal returns the session's journal and holds it open until release.
func (l *Log) Journal(session bellcord.SessionID) *Journal {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.journals[session]
	if j == nil {
		j = &Journal{log: l, session: session, grown: make(chan struct{}), room: make(chan struct{})}
		l.journals[session] = j
	}
	j.holders++
	return j
}

// Release lets go of a journal. The last release forgets it.
func (l *Log) Release(j *Journal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j.holders--; j.holders == 0 {
		delete(l.journals, j.session)
	}
}

// stale marks every journal as possibly outdated by other processes, and returns
// those that have waiting readers. On the others the next reader looks.
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
