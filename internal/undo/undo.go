package undo

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Request is a request to undo the changes of turns of one session.
type Request struct {
	// ID identifies the undo: a second request with the same ID returns the
	// result of the first. If it is empty, the undo gets a new one.
	ID      string
	Session bellcord.Session
	Turns   []bellcord.TurnID
	Paths   []string // only these and everything below them; empty for all
	// Confirmed restores paths of which only the time of the change shows that the
	// turn changed them: a person has seen the list.
	Confirmed bool
	Preview   bool // change nothing
	By        string
	Source    string
}

// Undo sets files to their state before the turns and returns what it did with
// each path. A path that has another state than after the turns is left alone.
func (r *Recorder) Undo(ctx context.Context, q Request) (bellcord.Undone, error) {
	if err := q.checkID(); err != nil {
		return bellcord.Undone{}, err
	}
	d, w, release, err := r.useAlone(ctx, q.Session)
	if err != nil {
		return bellcord.Undone{}, err
	}
	defer release()
	record := newRecord(q)
	if known, is, err := record.begun(w, q.Confirmed); (is || err != nil) && !q.Preview {
		return r.resumeAgain(ctx, w, known, err)
	}
	lists, err := changesOf(ctx, w, q.Turns)
	if err != nil {
		return bellcord.Undone{}, err
	}
	paths, err := q.realPaths(d.root, lists)
	if err != nil {
		return bellcord.Undone{}, err
	}
	lists, record.Skipped = q.selected(lists, paths)
	plan, err := restore.Plan(d.root, lists, restore.Options{Dir: undoDir(w, record.Undo), Paths: paths, Source: source(w)})
	if err != nil || q.Preview {
		return record.preview(plan), err
	}
	return r.carryOut(ctx, w, record, plan)
}

// Redo reverses an undo.
func (r *Recorder) Redo(ctx context.Context, q Request, undo string) (bellcord.Undone, error) {
	if err := q.checkID(); err != nil {
		return bellcord.Undone{}, err
	}
	d, w, release, err := r.useAlone(ctx, q.Session)
	if err != nil {
		return bellcord.Undone{}, err
	}
	defer release()
	first, err := readRecord(w, undo)
	if err != nil || first.Session != q.Session.ID {
		return bellcord.Undone{}, bellcord.ErrNoUndo
	}
	q.Turns = first.Turns
	record := newRecord(q)
	record.Redone = undo
	if known, is, err := record.begun(w, q.Confirmed); (is || err != nil) && !q.Preview {
		return r.resumeAgain(ctx, w, known, err)
	}
	changes, err := restore.Reversed(undoDir(w, undo))
	if err != nil {
		return bellcord.Undone{}, fmt.Errorf("%w: %w", bellcord.ErrNoUndo, err)
	}
	plan, err := restore.Plan(d.root, [][]tree.Change{changes}, restore.Options{Dir: undoDir(w, record.Undo), Source: source(w)})
	if err != nil || q.Preview {
		return record.preview(plan), err
	}
	return r.carryOut(ctx, w, record, plan)
}

// use returns the workspace of a session's directory.
func (r *Recorder) use(ctx context.Context, s bellcord.Session) (*directory, *snapshot.Workspace, func(), error) {
	if r == nil {
		return nil, nil, nil, bellcord.ErrUndoOff
	}
	d, err := r.hold(filepath.Clean(s.Dir))
	if err != nil {
		return nil, nil, nil, err
	}
	w, err := d.wait(ctx)
	if err == nil {
		err = r.settled(ctx, d)
	}
	if err == nil {
		err = r.tryRecoverCalls(ctx, w)
	}
	switch {
	case err == nil && !w.IsThere(), errors.Is(err, realdir.ErrReplaced):
		err = fmt.Errorf("%w: another directory is at %s now", bellcord.ErrNoChanges, d.root)
	case errors.Is(err, snapshot.ErrPlace), errors.Is(err, os.ErrNotExist): // the directory can be at another node
		err = bellcord.ErrNoChanges
	}
	if err != nil {
		r.release(d)
		return nil, nil, nil, err
	}
	return d, w, func() { r.release(d) }, nil
}

// useAlone is use for an undo: one at a time runs in a workspace, in all
// processes.
func (r *Recorder) useAlone(ctx context.Context, s bellcord.Session) (*directory, *snapshot.Workspace, func(), error) {
	d, w, release, err := r.use(ctx, s)
	if err != nil {
		return nil, nil, nil, err
	}
	unlock, err := lockUndos(ctx, w)
	if err != nil {
		release()
		return nil, nil, nil, err
	}
	return d, w, func() { unlock(); release() }, nil
}

// lockUndos waits until no other undo runs in the workspace.
func lockUndos(ctx context.Context, w *snapshot.Workspace) (unlock func(), err error) {
	return lockFile(ctx, filepath.Join(w.Dir(), undosName, lockName))
}

// changesOf returns the changes of turns, the newest call first.
func changesOf(ctx context.Context, w *snapshot.Workspace, turns []bellcord.TurnID) ([][]tree.Change, error) {
	var lists [][]tree.Change
	for _, id := range turns {
		results, err := compared(ctx, w, id)
		switch {
		case err != nil:
			return nil, err
		case len(results) == 0:
			return nil, bellcord.ErrNoChanges
		}
		for _, r := range slices.Backward(results) {
			lists = append(lists, r.Changes)
		}
	}
	return lists, nil
}

// compareWait is how long an undo waits for the comparison of a turn that has
// ended in another process.
const compareWait = 15 * time.Second

// compared returns the results of a turn's calls when all have been compared.
func compared(ctx context.Context, w *snapshot.Workspace, id bellcord.TurnID) ([]snapshot.Result, error) {
	ctx, done := context.WithTimeout(ctx, compareWait)
	defer done()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for running := false; ; running = true {
		results, open, err := w.OfTurn(ctx, string(id))
		switch {
		case err != nil && running && ctx.Err() != nil:
			return nil, bellcord.ErrTurnRunning
		case err != nil || !open:
			return results, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, bellcord.ErrTurnRunning
		}
	}
}

// carryOut records and applies an undo.
func (r *Recorder) carryOut(ctx context.Context, w *snapshot.Workspace, record record, plan *restore.Undo) (bellcord.Undone, error) {
	if preview := record.preview(plan); preview.Restored == 0 {
		return preview, nil // it is no undo: the turn can still be undone
	}
	if err := record.save(w); err != nil {
		return bellcord.Undone{}, err
	}
	end, err := r.announce(ctx, w, record, plan.Preview())
	if err != nil {
		return bellcord.Undone{}, errors.Join(err, record.remove(w))
	}
	defer end()
	// From here a canceled request does not leave half an undo.
	if _, err := plan.Apply(context.WithoutCancel(ctx)); err != nil {
		if !restore.HasPlan(undoDir(w, record.Undo)) { // nothing was changed
			return bellcord.Undone{}, errors.Join(err, record.remove(w))
		}
		record.Failed = true
		return bellcord.Undone{}, errors.Join(err, record.save(w))
	}
	return r.resume(ctx, w, record)
}

// resumeAgain completes an undo for a request that repeats it, unless err is set.
func (r *Recorder) resumeAgain(ctx context.Context, w *snapshot.Workspace, known record, err error) (bellcord.Undone, error) {
	if err != nil {
		return bellcord.Undone{}, err
	}
	if known.Failed {
		known.Failed = false // from here a crash is an interruption
		if err := known.save(w); err != nil {
			return bellcord.Undone{}, err
		}
		u, err := r.resume(ctx, w, known)
		if err != nil {
			known.Failed = true
			err = errors.Join(err, known.save(w))
		}
		return u, err
	}
	return r.resume(ctx, w, known)
}

// announce opens a call in the snapshot for the paths that the undo changes, so
// that the changes belong to no call of another session.
func (r *Recorder) announce(ctx context.Context, w *snapshot.Workspace, record record, outcomes []restore.Outcome) (end func(), err error) {
	var paths []string
	for _, o := range outcomes {
		if o.Result == restore.Restored {
			paths = append(paths, o.Path)
		}
	}
	if len(paths) == 0 {
		return func() {}, nil
	}
	// The id is new: a call of an undo that was killed before it had a plan has ended.
	call := snapshot.Call{ID: undoCall + newUndoID(), Turn: undoCall + record.Undo, Session: string(record.Session)}
	if _, err := w.Keep(ctx, call, paths...); err != nil {
		return nil, err
	}
	return func() {
		if _, err := w.End(r.ctx, call.ID, snapshot.KeptPart); err != nil && r.ctx.Err() == nil {
			r.options.Logger.Warn("an undo is not recorded in the snapshot", "session", record.Session, "err", err)
		}
	}, nil
}

// undoCall is the beginning of the ids of the calls that undos open.
const undoCall = "undo/"

// resume completes an undo that has been recorded and returns its result.
func (r *Recorder) resume(ctx context.Context, w *snapshot.Workspace, known record) (bellcord.Undone, error) {
	outcomes, err := restore.Resume(context.WithoutCancel(ctx), restore.Options{Dir: undoDir(w, known.Undo), Source: source(w)})
	if err != nil {
		return bellcord.Undone{}, err
	}
	u := known.undone(outcomes)
	if known.Told || r.options.Undone == nil {
		return u, nil
	}
	if u.Restored == 0 { // every path changed meanwhile: it is no undo
		known.Told = true
		return u, known.save(w)
	}
	if err := r.options.Undone(context.WithoutCancel(ctx), known.Session, u); err != nil {
		return u, fmt.Errorf("the files are restored, but the undo is not in the log yet: %w", err)
	}
	known.Told = true
	return u, known.save(w)
}

// source returns the bytes that the snapshot and earlier undos keep.
func source(w *snapshot.Workspace) restore.Source {
	undos := filepath.Join(w.Dir(), undosName)
	entries, _ := os.ReadDir(undos) // without undos, there are no bytes
	var dirs []string
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(undos, e.Name()))
		}
	}
	return restore.Sources{w, restore.Displaced(dirs)}
}

func newUndoID() string { return strings.ToLower(rand.Text()[:16]) }
