package undo

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/filelock"
	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// Interrupted lists what processes that have died left incomplete.
type Interrupted struct {
	dead map[string]bool // handles of the processes
	dirs []string        // of the workspaces that they used or in which an undo is incomplete
}

// Interrupted returns what processes that have died until now left incomplete. Call
// it before you end the processes that they started, and Recover afterwards.
func (r *Recorder) Interrupted() Interrupted {
	found := Interrupted{dead: map[string]bool{}}
	if r == nil {
		return found
	}
	entries, _ := os.ReadDir(r.options.Place) // a directory that does not exist has no entries
	for _, e := range entries {
		dir, left := filepath.Join(r.options.Place, e.Name()), false
		for _, handle := range snapshot.Handles(dir) {
			if held, err := filelock.IsHeld(filepath.Join(dir, snapshot.AlivePrefix+handle)); err == nil && !held {
				found.dead[handle] = true
				left = true
			}
		}
		for _, u := range records(dir) {
			left = left || u.isInterrupted()
		}
		if left {
			found.dirs = append(found.dirs, dir)
		}
	}
	return found
}

// Recover completes what processes that have died left incomplete: it finds the
// changes of their calls, and resumes their undos. The processes of these calls
// must have ended. It runs in the background. Close cancels it: each part that is
// complete stays complete, and the next Recover continues with the others.
func (r *Recorder) Recover(found Interrupted) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	maps.Copy(r.dead, found.dead)
	r.work.Go(func() {
		for _, dir := range found.dirs {
			if r.ctx.Err() != nil {
				return
			}
			if err := r.recoverDir(r.ctx, dir); err != nil && r.ctx.Err() == nil {
				r.options.Logger.Warn("changes of an earlier process cannot be recovered", "dir", dir, "err", err)
			}
		}
	})
}

func (r *Recorder) recoverDir(ctx context.Context, dir string) error {
	root, err := snapshot.Root(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil // nothing was begun
	}
	if err != nil {
		return err
	}
	d, err := r.hold(root)
	if err != nil {
		return err
	}
	defer r.release(d)
	w, err := d.wait(ctx)
	if err != nil || w.Dir() != dir { // another directory is at the path now
		return err
	}
	cut("opened")
	for _, u := range records(dir) {
		if u.isInterrupted() {
			err = errors.Join(err, r.recoverUndo(w, u))
		}
	}
	return errors.Join(err, r.recoverCalls(ctx, w))
}

func (r *Recorder) recoverUndo(w *snapshot.Workspace, u record) error {
	unlock, err := lockUndos(r.ctx, w)
	if err != nil {
		return err
	}
	defer unlock()
	u, err = readRecord(w, u.Undo) // another process may have completed it, or a living one was carrying it out
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil || !u.isInterrupted():
		return err
	}
	_, err = r.resume(r.ctx, w, u)
	if errors.Is(err, restore.ErrNoPlan) {
		return u.remove(w)
	}
	return err
}

// recoverCalls compares the directory with its state before the calls that dead
// processes left open, and reports the changes of their turns. It returns when no
// process does so any longer. The mark of a dead process is removed last, so that
// the next start continues after a crash or a cancelled context. The time is
// limited: each comparison has the time limit of a scan.
func (r *Recorder) recoverCalls(ctx context.Context, w *snapshot.Workspace) error {
	if left, err := w.Left(ctx, r.wasDead); err != nil || len(left) == 0 {
		return err
	}
	cut("left")
	unlock, err := lockFile(ctx, filepath.Join(w.Dir(), "recovery"))
	if err != nil {
		return err
	}
	defer unlock()
	r.recovering.Store(w)
	defer r.recovering.Store(nil)
	left, err := w.Left(ctx, r.wasDead) // another process may have done it
	for _, l := range left {
		err = errors.Join(err, r.settle(ctx, w, l))
	}
	return err
}

// Recovering returns the progress of a recovery, and false if none is running.
func (r *Recorder) Recovering() (bellcord.FilesScanned, bool) {
	if r == nil {
		return bellcord.FilesScanned{}, false
	}
	w := r.recovering.Load()
	if w == nil {
		return bellcord.FilesScanned{}, false
	}
	p := w.Progress()
	return bellcord.FilesScanned{Files: p.Files, Bytes: p.Bytes}, true
}

// wasDead reports whether a process has died and the processes that it started have
// ended.
func (r *Recorder) wasDead(handle string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dead[handle]
}

// hasDead reports whether a process that had died has left its mark in the storage
// of a workspace.
func (r *Recorder) hasDead(dir string) bool {
	return slices.ContainsFunc(snapshot.Handles(dir), r.wasDead)
}

// markDead ensures that a dead process has its mark until its calls are settled.
func (r *Recorder) markDead(w *snapshot.Workspace, handle string) error {
	r.mu.Lock()
	r.dead[handle] = true
	r.mu.Unlock()
	return w.Mark(handle)
}

// tryRecoverCalls is recoverCalls for an operation that does not need its result,
// also in the workspaces inside this one and around it: calls that stay open there
// would dispute every change here. It returns an error only if the context has ended.
func (r *Recorder) tryRecoverCalls(ctx context.Context, w *snapshot.Workspace) error {
	err := r.recoverCalls(ctx, w)
	for _, dir := range w.Nested() {
		if r.hasDead(dir) {
			err = errors.Join(err, r.recoverDir(ctx, dir))
		}
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.options.Logger.Warn("changes of an earlier process cannot be recovered", "dir", w.Dir(), "err", err)
	return nil
}

// settle completes the calls that one process has left.
func (r *Recorder) settle(ctx context.Context, w *snapshot.Workspace, l snapshot.Left) error {
	if err := r.markDead(w, l.Handle); err != nil {
		return err
	}
	turns := map[bellcord.TurnID]bellcord.SessionID{}
	for _, c := range l.Open {
		cut("before end")
		if _, err := w.End(ctx, c.ID, snapshot.Whole); err != nil {
			return err
		}
		cut("ended")
	}
	for _, c := range append(l.Open, l.Ended...) {
		if !strings.HasPrefix(c.Turn, undoCall) {
			turns[bellcord.TurnID(c.Turn)] = bellcord.SessionID(c.Session)
		}
	}
	for turn, session := range turns {
		if err := r.report(ctx, w, session, turn); err != nil {
			return err
		}
	}
	cut("before settle")
	return w.Settle(ctx, l.Handle)
}

// report records the changes of a turn in the log, once.
func (r *Recorder) report(ctx context.Context, w *snapshot.Workspace, session bellcord.SessionID, turn bellcord.TurnID) error {
	if r.options.IsRecorded != nil {
		if recorded, err := r.options.IsRecorded(ctx, turn); err != nil || recorded {
			return err
		}
	}
	results, open, err := w.OfTurn(ctx, string(turn))
	if err != nil || open || r.options.Found == nil { // if it is open, another process has the rest of the turn
		return err
	}
	cut("before report")
	err = r.options.Found(ctx, session, bellcord.ChangesRecorded{Turn: turn, Changes: summary(results, "")})
	cut("reported")
	return err
}

// cut is called between the parts of a recovery. Tests interrupt it there.
var cut = func(string) {}

// lockFile waits until no other process has locked the file.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	retry := time.NewTicker(20 * time.Millisecond)
	defer retry.Stop()
	for {
		f, err := filelock.Try(path)
		if err == nil {
			return func() { _ = filelock.Release(f) }, nil
		}
		if !errors.Is(err, filelock.ErrHeld) {
			return nil, err
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Changes returns the changes of a turn as they are kept on this machine.
func (r *Recorder) Changes(ctx context.Context, s bellcord.Session, turn bellcord.TurnID) (bellcord.Changes, error) {
	_, w, release, err := r.use(ctx, s)
	if err != nil {
		return bellcord.Changes{}, err
	}
	defer release()
	results, open, err := w.OfTurn(ctx, string(turn))
	if err == nil && len(results) == 0 && !open {
		err = bellcord.ErrNoChanges
	}
	c := summary(results, "")
	c.Pending = open
	return c, err
}
