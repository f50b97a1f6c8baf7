package bellcord

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
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
	store  Store
	logger *slog.Logger
	watch  func(Commit)
	peers  Peers

	dirty   stack         // journals with waiting ops
	urgent  stack         // those of them with an op that somebody waits for
	backlog []*journal    // of the committer: dirty ones, in the order they came
	wake    chan struct{} // holds one token while a stack may be non-empty

	unseen  atomic.Bool // the end of a session could not be looked up: the sweep has to
	closing chan struct{}
	closed  chan struct{}

	mu       sync.Mutex // guards journals, which opens and closes take, events never
	journals map[SessionID]*journal
}

// ErrClosed is returned by a log that has been closed.
var ErrClosed = errors.New("the log is closed")

// openLog starts the committer; close ends it.
func openLog(store Store, opts Options) *Log {
	l := &Log{
		store:    store,
		logger:   opts.Logger,
		watch:    opts.Watch,
		peers:    opts.Peers,
		wake:     make(chan struct{}, 1),
		closing:  make(chan struct{}),
		closed:   make(chan struct{}),
		journals: map[SessionID]*journal{},
	}
	go l.commitAll()
	return l
}

// close commits what waits, as far as ctx allows, and ends the committer.
func (l *Log) close(ctx context.Context) error {
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
		select {
		case <-l.wake:
		case <-l.closing:
			closing = true
		}
		for batch := l.take(); len(batch) > 0; batch = l.take() {
			l.commit(batch)
		}
	}
}

// mostOps is how many ops a commit takes before it leaves the rest to the next:
// enough to share the cost of a commit, few enough to be done in some
// milliseconds.
const mostOps = 256

// mostCommit is the same for its bytes: a turn that pours out a lot fills it
// alone.
const mostCommit = 1 << 20

// take empties journals, the urgent ones first, then in the order in which they
// came. A journal's own order is kept; between sessions there is none.
func (l *Log) take() []*entry {
	var batch []*entry
	bytes := 0
	add := func(entries []*entry, size int) {
		batch = append(batch, entries...)
		bytes += size
	}
	for _, j := range l.urgent.takeAll() {
		add(j.take(&j.onUrgent))
	}
	l.backlog = append(l.backlog, l.dirty.takeAll()...)
	taken := 0
	for taken < len(l.backlog) && len(batch) < mostOps && bytes < mostCommit {
		j := l.backlog[taken]
		add(j.take(&j.onDirty))
		taken++
	}
	l.backlog = slices.Delete(l.backlog, 0, taken)
	return batch
}

// commit makes a batch durable and answers its entries. While the store
// fails it tries again: turns go on into their journals, which are bounded.
func (l *Log) commit(batch []*entry) {
	if len(batch) == 0 {
		return
	}
	ops := make([]Op, len(batch))
	for i, e := range batch {
		ops[i] = e.op
	}
	began := time.Now()
	results, err := l.store.Commit(context.Background(), ops)
	again := err != nil
	for wait := 10 * time.Millisecond; err != nil; wait = min(2*wait, time.Second) {
		l.logger.Error("commit failed, trying again", "ops", len(ops), "err", err)
		select {
		case <-time.After(wait):
		case <-l.closing:
			l.refuse(batch, err)
			return
		}
		results, err = l.store.Commit(context.Background(), ops)
	}
	took := time.Since(began)
	for i, e := range batch {
		e.journal.settled(e, results[i])
		if again { // an op that was there already does not say which events it had added
			l.lookAt(e.journal)
		}
	}
	l.tell(took, results)
}

// lookAt looks for the end of a session; where that fails, the sweep will.
func (l *Log) lookAt(j *journal) {
	ctx, done := context.WithTimeout(context.Background(), mostLook)
	defer done()
	if err := j.look(ctx); err != nil {
		l.unseen.Store(true)
		l.logger.Error("looking for the session's end", "session", j.session, "err", err)
	}
}

// tell hands what became durable to whoever watches.
func (l *Log) tell(took time.Duration, results []Result) {
	if l.watch == nil {
		return
	}
	c := Commit{Ops: len(results), Took: took}
	for _, r := range results {
		c.Events = append(c.Events, r.Events...)
	}
	l.watch(c)
}

func (l *Log) refuse(batch []*entry, err error) {
	for _, e := range batch {
		e.journal.settled(e, Result{Err: errors.Join(ErrClosed, err)})
	}
}

// deliver hands durable events to the journals of their sessions: the entry's
// own, or, for what was asked through no open session, others, where open.
func (l *Log) deliver(j *journal, events []Event) {
	for n := 1; n < len(events); n++ {
		if events[n].Session != events[0].Session {
			l.deliver(j, events[n:])
			events = events[:n]
		}
	}
	if j.session != events[0].Session {
		l.mu.Lock()
		j = l.journals[events[0].Session]
		l.mu.Unlock()
	}
	if j != nil {
		j.mu.Lock()
		j.keep(events)
		j.mu.Unlock()
	}
}

// push puts a journal on a stack, on which it is not yet, and wakes the committer.
func (l *Log) push(to *stack, j *journal) {
	to.push(j)
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// journal returns the session's journal and holds it open until release.
func (l *Log) journal(session SessionID) *journal {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := l.journals[session]
	if j == nil {
		j = &journal{log: l, session: session, grown: make(chan struct{}), room: make(chan struct{})}
		l.journals[session] = j
	}
	j.holders++
	return j
}

func (l *Log) release(j *journal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j.holders--; j.holders == 0 {
		delete(l.journals, j.session)
	}
}

// stale notes that other processes may have added to sessions, and returns the
// journals that somebody is waiting on. On the others whoever waits next looks.
func (l *Log) stale() []*journal {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*journal
	for _, j := range l.journals {
		j.stale.Store(true)
		if j.waiting.Load() > 0 {
			j.stale.Store(false)
			all = append(all, j)
		}
	}
	return all
}
