package undo

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// CallChanges returns the changes of a call, at most for the given time, or nil
// if they are not known by then.
func (t *Turn) CallChanges(ctx context.Context, name string, most time.Duration) []tree.Change {
	if t == nil {
		return nil
	}
	ctx, done := context.WithTimeout(ctx, most)
	defer done()
	var lists [][]tree.Change
	for _, c := range t.named(name) {
		select {
		case <-c.done:
			lists = append(lists, c.result.Changes)
		case <-ctx.Done():
			return nil
		}
	}
	return fold(lists)
}

// Close passes the turn's changes to its receipt: the changes if all are known,
// otherwise that they are pending, and then an event follows.
func (t *Turn) Close() {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.closed = true
	if t.warming != nil {
		t.warming.Stop()
	}
	d, used := t.dir, len(t.calls) > 0
	t.mu.Unlock()
	if d == nil {
		return
	}
	if !used || t.isComplete() {
		if used {
			t.work.SetChanges(t.changes())
		}
		t.recorder.release(d)
		return
	}
	t.work.FollowChanges(func(ctx context.Context) (bellcord.Changes, error) {
		defer t.recorder.release(d)
		err := t.wait(ctx)
		if err != nil {
			t.recorder.leaveUnsettled(d)
		}
		return t.changes(), err
	})
}

// leaveUnsettled makes the next start report the changes of a turn.
func (r *Recorder) leaveUnsettled(d *directory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	d.unsettled = true
}

func (t *Turn) isComplete() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !slices.ContainsFunc(t.calls, func(c *call) bool {
		select {
		case <-c.done:
			return false
		default:
			return true
		}
	})
}

// wait returns when all calls have been compared.
func (t *Turn) wait(ctx context.Context) error {
	for _, c := range t.all() {
		select {
		case <-c.done:
			if errors.Is(c.err, ErrClosed) || errors.Is(c.err, context.Canceled) {
				return c.err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (t *Turn) all() []*call {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.calls)
}

func (t *Turn) changes() bellcord.Changes {
	var results []snapshot.Result
	for _, c := range t.all() {
		results = append(results, c.result)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return summary(results, strings.Join(t.problems, "; "))
}
