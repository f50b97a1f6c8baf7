package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Turn records the changes of one turn. A nil Turn records nothing.
type Turn struct {
	recorder *Recorder
	session  bellcord.Session
	id       bellcord.TurnID
	work     Work

	mu       sync.Mutex
	dir      *directory
	calls    []*call
	problems []string
	warming  *time.Timer // starts the first scan; nil if there is none
	closed   bool
}

// call is a call of a turn, or the part of it that changes one path.
type call struct {
	name  string // the id of the agent's call
	id    string // in the snapshot
	ended bool   // After was called; protected by Turn.mu
	done  chan struct{}

	// Set before done is closed.
	result snapshot.Result
	err    error
}

// Turn returns the record of a turn. It does no I/O. The caller must call Close.
func (r *Recorder) Turn(session bellcord.Session, id bellcord.TurnID, work Work) *Turn {
	if r == nil || session.Dir == "" {
		return nil
	}
	return &Turn{recorder: r, session: session, id: id, work: work}
}

// Warm starts the first scan of the turn's directory in the background: after the
// given time, unless the turn has ended by then. A turn that ends early without a
// call then does no I/O here.
func (t *Turn) Warm(after time.Duration) {
	if t == nil {
		return
	}
	if after <= 0 {
		t.warm()
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.warming = time.AfterFunc(after, t.warm)
}

func (t *Turn) warm() {
	d, err := t.directory()
	if err != nil {
		return
	}
	r := t.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || d.warmed {
		return
	}
	d.warmed = true
	d.users++
	r.work.Go(func() {
		defer r.release(d)
		if w, err := d.wait(r.ctx); err == nil {
			_, _ = w.Scan(r.ctx, snapshot.Whole) // the next Begin reports the error
		}
	})
}

func (t *Turn) directory() (*directory, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dir != nil {
		return t.dir, nil
	}
	if t.closed {
		return nil, ErrClosed
	}
	d, err := t.recorder.hold(filepath.Clean(t.session.Dir))
	t.dir = d
	return d, err
}

// Before makes the bytes of the turn's directory durable, because a call can
// change any file. loose means that background processes of the session are
// running. Before returns an error if ctx ends, or if the call must not run
// because its changes could not be undone. All other problems are part of the
// turn's changes. If it takes long, Before emits bellcord.FilesScanned events.
func (t *Turn) Before(ctx context.Context, name string, loose bool) error {
	if t == nil {
		return nil
	}
	return t.open(ctx, name, func(w *snapshot.Workspace, c snapshot.Call) error {
		c.Loose, c.Outside = loose, t.session.AdditionalDirs
		scope := snapshot.KeptPart
		if t.isFirst() {
			scope = snapshot.Whole
		}
		report, err := w.Begin(ctx, c, scope)
		if err == nil && t.recorder.options.Require {
			if err = incomplete(report); err != nil {
				_, ended := w.End(ctx, c.ID, snapshot.KeptPart)
				err = errors.Join(err, ended)
			}
		}
		return err
	})
}

// incomplete returns an error if a scan has not kept everything.
func incomplete(r snapshot.Report) error {
	var parts []string
	for reason, n := range r.NotKept {
		parts = append(parts, fmt.Sprintf("%s not kept (%s)", plural(n), reason))
	}
	for _, g := range r.Gaps {
		parts = append(parts, fmt.Sprintf("%q was not scanned (%s)", cmp.Or(printable(g.Path), "."), g.Reason))
	}
	if len(parts) == 0 {
		return nil
	}
	slices.Sort(parts)
	return errors.New(strings.Join(parts[:min(len(parts), 5)], ", "))
}

func plural(files int) string {
	if files == 1 {
		return "1 file is"
	}
	return fmt.Sprintf("%d files are", files)
}

// Changing makes the bytes at one path durable, which a call is about to change.
// The path is absolute. If it is outside of the turn's directory, no bytes are
// kept, and the turn's changes name the directory that contains it. The error and
// the events are as for Before: another scan can be running.
func (t *Turn) Changing(ctx context.Context, name, path string) error {
	if t == nil {
		return nil
	}
	rel, inside := relative(t.session.Dir, path)
	return t.open(ctx, name, func(w *snapshot.Workspace, c snapshot.Call) error {
		if inside {
			_, err := w.Keep(ctx, c, rel)
			return err
		}
		c.Outside = []string{t.outside(path)}
		_, err := w.Keep(ctx, c)
		return err
	})
}

// outside returns the directory that contains a path outside of the turn's
// directory: an additional one of the session, or the one of the file.
func (t *Turn) outside(path string) string {
	for _, dir := range t.session.AdditionalDirs {
		if _, inside := relative(dir, path); inside {
			return dir
		}
	}
	return filepath.Dir(path)
}

// open opens a call in the snapshot.
func (t *Turn) open(ctx context.Context, name string, begin func(*snapshot.Workspace, snapshot.Call) error) error {
	c := t.newCall(name)
	d, err := t.directory()
	var w *snapshot.Workspace
	if err == nil {
		defer reportProgress(d.progress, t.work.Emit)()
		w, err = d.wait(ctx)
	}
	if err == nil {
		err = t.recorder.settled(ctx, d) // otherwise changes of this call could be found by the comparison of another one
	}
	if err == nil {
		err = t.recorder.tryRecoverCalls(ctx, w) // as settled, for calls of processes that have died
	}
	if err == nil {
		err = begin(w, snapshot.Call{ID: c.id, Turn: string(t.id), Session: string(t.session.ID)})
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		close(c.done)
		return context.Cause(ctx)
	case t.recorder.options.Require:
		close(c.done)
		return fmt.Errorf("its changes could not be undone, and undo is set to require that: %w", err)
	}
	close(c.done)
	t.addProblem(err)
	return nil
}

// noteFull notes that the storage was too full to keep everything.
func (r *Recorder) noteFull(d *directory, result snapshot.Result) {
	full := slices.ContainsFunc(result.Gaps, func(g snapshot.Gap) bool { return g.Reason == snapshot.ByteBudget }) ||
		slices.ContainsFunc(result.Changes, func(c tree.Change) bool { return c.Reason == snapshot.ByteBudget.String() })
	r.mu.Lock()
	defer r.mu.Unlock()
	d.full = d.full || full
}

func (t *Turn) newCall(name string) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.calls) == 0 && len(t.problems) == 0 {
		t.work.SetChanges(bellcord.Changes{Pending: true}) // also if the agent is abandoned
	}
	c := &call{name: name, id: fmt.Sprintf("%s/%d", t.id, len(t.calls)+1), done: make(chan struct{})}
	t.calls = append(t.calls, c)
	return c
}

func (t *Turn) isFirst() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.calls) == 1
}

func (t *Turn) addProblem(err error) {
	if errors.Is(err, snapshot.ErrPlace) {
		err = errNoPlace // not a failure; the receipt explains it
	} else {
		t.recorder.options.Logger.Warn("changes of a turn are not recorded", "session", t.session.ID, "turn", t.id, "err", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if text := err.Error(); !slices.Contains(t.problems, text) {
		t.problems = append(t.problems, text)
	}
}

// After compares the directory with its state before the call, in the background.
// All processes of the call must have ended, or belong to the background
// processes of the session.
func (t *Turn) After(name string) {
	if t == nil {
		return
	}
	for _, c := range t.named(name) {
		if t.markEnded(c) {
			t.compare(c)
		}
	}
}

// markEnded reports whether the call is open and After is called for the first
// time.
func (t *Turn) markEnded(c *call) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-c.done: // it was not opened
		return false
	default:
	}
	first := !c.ended
	c.ended = true
	return first
}

func (t *Turn) named(name string) []*call {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.calls), func(c *call) bool { return c.name != name })
}

func (t *Turn) compare(c *call) {
	r := t.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed { // found by the next start
		c.err = ErrClosed
		close(c.done)
		return
	}
	d := t.dir
	d.comparing = append(d.comparing, c)
	r.work.Go(func() {
		defer func() {
			close(c.done)
			r.mu.Lock()
			d.comparing = slices.DeleteFunc(d.comparing, func(other *call) bool { return other == c })
			r.mu.Unlock()
		}()
		c.result, c.err = d.workspace.End(r.ctx, c.id, snapshot.Whole)
		switch {
		case c.err == nil:
			r.noteFull(d, c.result)
			defer r.tidySometimes(d)
		case r.ctx.Err() == nil:
			t.addProblem(c.err)
		}
	})
}

// errNoPlace is the problem of a turn in a directory that contains the undo
// storage, such as the home directory.
var errNoPlace = errors.New("nothing is kept for undo in a directory that contains Bellcord's data directory")

// relative returns a path inside a directory relative to it, with symbolic links
// resolved.
func relative(dir, path string) (string, bool) {
	rel, err := filepath.Rel(realdir.Resolve(dir), realdir.Resolve(path))
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
