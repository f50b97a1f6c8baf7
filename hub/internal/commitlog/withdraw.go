package commitlog

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// entryState is the state of an entry on its way to the store.
type entryState int

const (
	waiting   entryState = iota // in its journal
	inCommit                    // the store has it, or may have it
	between                     // a commit failed, the store does not have it, and a retry follows
	withdrawn                   // removed; the store does not have it
)

// Withdraw removes an entry from the log and reports whether that is certain. If
// a commit with the entry is in progress, Withdraw returns false, and the entry
// is dropped if that commit fails.
func (e *Entry) Withdraw() bool {
	j := e.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	switch e.state {
	case waiting:
		j.waits = slices.DeleteFunc(j.waits, func(other *Entry) bool { return other == e })
	case between:
	case inCommit:
		e.leaving = true
		return false
	case withdrawn:
		return true
	}
	e.drop()
	return true
}

// drop ends an entry that is not in the store. It requires the journal's lock.
func (e *Entry) drop() {
	e.state = withdrawn
	e.result = store.Result{Err: bellcord.ErrWithdrawn}
	close(e.done)
}

// WaitOrWithdraw returns the entry's error once it is committed. If ctx ends or
// the store fails first, it withdraws the entry and returns the reason. It
// returns ErrUnknown if a commit that has not returned may contain the op.
func (e *Entry) WaitOrWithdraw(ctx context.Context) error {
	health := &e.journal.log.health
	var why error
	select {
	case <-e.done:
		return e.result.Err
	case <-ctx.Done():
		why = context.Cause(ctx)
	case <-health.failed():
		if why = health.failing(); why == nil {
			why = bellcord.ErrStoreDown // the store works again
		}
	case <-e.journal.log.closed:
		_, err := e.Wait(ctx)
		return err
	}
	if e.Withdraw() {
		return why
	}
	patience := time.NewTimer(mostFailing)
	defer patience.Stop()
	select {
	case <-e.done:
	case <-ctx.Done():
	case <-patience.C:
	}
	select {
	case <-e.done:
		if errors.Is(e.result.Err, bellcord.ErrWithdrawn) {
			return why
		}
		return e.result.Err
	default:
		return errors.Join(bellcord.ErrUnknown, why)
	}
}

// pausing handles a failed commit of the batch. If the store certainly does not
// have it, the entries can be withdrawn until the next attempt, and those marked
// as leaving are dropped.
func pausing(batch []*Entry, certain bool) []*Entry {
	if !certain {
		return batch
	}
	return slices.DeleteFunc(batch, func(e *Entry) bool {
		e.journal.mu.Lock()
		defer e.journal.mu.Unlock()
		if e.leaving {
			e.drop()
			return true
		}
		e.state = between
		return false
	})
}

// resuming returns the entries of the batch that were not withdrawn.
func resuming(batch []*Entry) []*Entry {
	return slices.DeleteFunc(batch, func(e *Entry) bool {
		e.journal.mu.Lock()
		defer e.journal.mu.Unlock()
		if e.state == withdrawn {
			return true
		}
		e.state = inCommit
		return false
	})
}

// IsWithdrawn reports whether the entry was withdrawn, which means that no commit
// contains it.
func (e *Entry) IsWithdrawn() bool {
	e.journal.mu.Lock()
	defer e.journal.mu.Unlock()
	return e.state == withdrawn
}
