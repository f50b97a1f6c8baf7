package undo

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/filelock"
	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// Recover completes what processes that have died left incomplete: it finds the
// changes of their calls, and resumes their undos. The processes of these calls
// must have ended. It runs in the background.
func (r *Recorder) Recover() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.work.Go(func() {
		entries, err := os.ReadDir(r.options.Place)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			r.options.Logger.Warn("the undo storage cannot be read", "err", err)
		}
		for _, e := range entries {
			dir := filepath.Join(r.options.Place, e.Name())
			if r.ctx.Err() == nil && isInterrupted(dir) {
				if err := r.recoverDir(dir); err != nil && r.ctx.Err() == nil {
					r.options.Logger.Warn("changes of an earlier process cannot be recovered", "dir", dir, "err", err)
				}
			}
		}
	})
}

// isInterrupted reports whether a process may have died while it used the
// workspace that is stored in dir.
func isInterrupted(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, interruptedName)); err == nil {
		return true
	}
	handles, _ := filepath.Glob(filepath.Join(dir, "alive-*")) // fails only for a bad pattern
	for _, handle := range handles {
		lock, err := filelock.Try(handle)
		if err == nil {
			err = filelock.Release(lock)
		}
		if !errors.Is(err, filelock.ErrHeld) { // the process has died
			return true
		}
	}
	for _, u := range records(dir) {
		if !u.Told {
			return true
		}
	}
	return false
}

func (r *Recorder) recoverDir(dir string) error {
	root, err := os.ReadFile(filepath.Join(dir, rootName))
	if errors.Is(err, os.ErrNotExist) {
		return nil // nothing was begun
	}
	if err != nil {
		return err
	}
	d, err := r.hold(string(root))
	if err != nil {
		return err
	}
	defer r.release(d)
	w, err := d.wait(r.ctx)
	if err != nil || w.Dir() != dir { // another directory is at the path now
		return err
	}
	for _, u := range records(dir) {
		if !u.Told {
			err = errors.Join(err, r.recoverUndo(w, u))
		}
	}
	if err = errors.Join(err, r.recoverCalls(w)); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, interruptedName)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func (r *Recorder) recoverUndo(w *snapshot.Workspace, u record) error {
	unlock, err := lockUndos(r.ctx, w)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = r.resume(r.ctx, w, u)
	if errors.Is(err, restore.ErrNoPlan) {
		return u.remove(w)
	}
	return err
}

// recoverCalls compares the directory with its state before the calls that dead
// processes left open, and reports the changes of their turns.
func (r *Recorder) recoverCalls(w *snapshot.Workspace) error {
	calls, err := w.Found(r.ctx)
	turns := map[string]bellcord.SessionID{}
	for _, c := range calls {
		if _, e := w.End(r.ctx, c.ID, snapshot.Whole); e != nil {
			err = errors.Join(err, e)
			continue
		}
		if !strings.HasPrefix(c.Turn, undoCall) {
			turns[c.Turn] = bellcord.SessionID(c.Session)
		}
	}
	for turn, session := range turns {
		results, _, e := w.OfTurn(r.ctx, turn)
		if e == nil && r.options.Found != nil {
			e = r.options.Found(r.ctx, session, bellcord.ChangesRecorded{Turn: bellcord.TurnID(turn), Changes: summary(results, "")})
		}
		err = errors.Join(err, e)
	}
	return err
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
