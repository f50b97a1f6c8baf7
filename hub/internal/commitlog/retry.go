package commitlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// triesTogether is the number of failures after which a batch is committed in
// parts.
const triesTogether = 3

// triesAlone is the number of failures after which an entry is rejected, in
// addition to the failures of its batch.
const triesAlone = 3

// retry commits a batch that has failed, until it succeeds or the log is closed.
// Meanwhile turns write to their journals, which are bounded.
func (l *Log) retry(batch []*Entry, err error, began time.Time) {
	certain, wait := true, 10*time.Millisecond
	for tries := 1; err != nil; tries++ {
		l.opts.Logger.Error("commit failed, retrying", "ops", len(batch), "err", err)
		l.health.committed(err)
		certain = certain && errors.Is(err, store.ErrNotCommitted)
		batch = pausing(batch, certain)
		select {
		case <-time.After(wait):
		case <-l.closing:
			l.refuse(resuming(batch), err)
			return
		}
		wait = min(2*wait, time.Second)
		if batch = resuming(batch); len(batch) == 0 {
			return
		}
		tried := batch
		if tries >= triesTogether {
			batch, err = l.commitParts(batch, began)
		} else if err = l.tryCommit(batch, began); err == nil {
			batch = nil
		}
		if done := tried[:len(tried)-len(batch)]; len(done) > 0 {
			l.readHeadsOf(done) // the result of a repeated op does not contain the events of the first attempt
		}
	}
}

// tryCommit commits a batch that has failed before. The caller reads the heads,
// once for all parts of a batch, because a read can take long.
func (l *Log) tryCommit(batch []*Entry, began time.Time) error {
	results, err := l.store.Commit(context.Background(), opsOf(batch))
	if err != nil {
		return err
	}
	l.settle(batch, results, began)
	return nil
}

// commitParts commits a batch that has failed as a whole: in halves, and the
// halves that fail in halves again. An entry that fails alone is rejected, so
// that it does not block the others. The order of the entries is kept.
//
// An error is about the ops only if the store accepts other commits. Otherwise
// commitParts stops, and returns the entries that it has not committed: the last
// ones of the batch.
func (l *Log) commitParts(batch []*Entry, began time.Time) ([]*Entry, error) {
	err := l.tryCommit(batch, began)
	switch {
	case err == nil:
		return nil, nil
	case !l.isAboutOps(err):
		return batch, err
	case len(batch) == 1:
		return l.commitAlone(batch, began)
	}
	half := len(batch) / 2
	rest, err := l.commitParts(batch[:half:half], began)
	if err != nil {
		return append(rest, batch[half:]...), err
	}
	return l.commitParts(batch[half:], began)
}

// commitAlone commits a single entry. It rejects the entry if it fails
// triesAlone times while the store accepts other commits.
func (l *Log) commitAlone(entry []*Entry, began time.Time) ([]*Entry, error) {
	var err error
	for range triesAlone {
		if err = l.tryCommit(entry, began); err == nil {
			return nil, nil
		}
		if !l.isAboutOps(err) {
			return entry, err
		}
	}
	l.reject(entry[0], err)
	return nil, nil
}

// isAboutOps reports whether a commit failed because of its ops: the store
// reports no failure itself, and accepts a commit without ops.
func (l *Log) isAboutOps(err error) bool {
	for _, other := range []error{bellcord.ErrStoreDown, bellcord.ErrStoreLost, bellcord.ErrClosed, bellcord.ErrDamaged, context.DeadlineExceeded, context.Canceled} {
		if errors.Is(err, other) {
			return false
		}
	}
	_, failed := l.store.Commit(context.Background(), nil)
	l.health.committed(failed)
	return failed == nil
}

// reject settles an entry that the store does not accept. An append still uses
// its number, so that the later appends of its turn are applied.
func (l *Log) reject(e *Entry, err error) {
	l.opts.Logger.Error("rejected an op that the store does not accept", "op", fmt.Sprintf("%T", e.op), "session", e.journal.session, "err", err)
	if op, appends := e.op.(store.AppendEvents); appends && op.Turn != "" {
		op.Bodies = nil
		_, _ = l.store.Commit(context.Background(), []store.Op{op}) // if it fails, so do the later appends
	}
	why := fmt.Errorf("%w: %w", bellcord.ErrRejected, err)
	if !errors.Is(err, store.ErrNotCommitted) {
		why = errors.Join(bellcord.ErrUnknown, why)
	}
	e.journal.settled(e, store.Result{Err: why})
}

// readTimeout limits the duration of readHeadsOf.
const readTimeout = 5 * time.Second

// readHeadsOf reads the newest sequence numbers of the sessions of a batch. If
// that fails, the next refresh reads them.
func (l *Log) readHeadsOf(batch []*Entry) {
	var journals []*Journal
	seen := map[*Journal]bool{}
	for _, e := range batch {
		if !seen[e.journal] {
			seen[e.journal] = true
			journals = append(journals, e.journal)
		}
	}
	ctx, done := context.WithTimeout(context.Background(), readTimeout)
	defer done()
	if err := l.readHeads(ctx, journals); err != nil {
		l.unseen.Store(true)
		l.opts.Logger.Error("cannot read the last event numbers of sessions", "sessions", len(journals), "err", err)
	}
}
