package undo

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
)

// Options configures a Recorder.
type Options struct {
	// Place is the directory for the kept bytes of all workspaces.
	Place string
	// Require refuses calls whose changes could not be undone, instead of running
	// them and reporting that.
	Require bool
	Limits  snapshot.Limits
	Logger  *slog.Logger

	// Undone records an undo in the log of a session.
	Undone func(context.Context, bellcord.SessionID, bellcord.Undone) error
	// Found records the changes of a turn whose process has died.
	Found func(context.Context, bellcord.SessionID, bellcord.ChangesRecorded) error
	// IsRecorded reports whether the log has the changes of a turn, or no longer has
	// the turn. If it is nil, the log has none.
	IsRecorded func(context.Context, bellcord.TurnID) (bool, error)
}

// Recorder records the changes of turns. A nil Recorder records nothing.
type Recorder struct {
	options Options
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc

	recovering atomic.Pointer[snapshot.Workspace] // the workspace whose calls are being recovered

	mu     sync.Mutex
	dead   map[string]bool       // handles of the processes that Recover has received
	opened map[string]*directory // by path
	closed bool
	work   sync.WaitGroup // comparisons
}

// idleTime is how long the index of a directory without turns stays in memory.
const idleTime = 10 * time.Minute

// ErrClosed is returned after Close.
var ErrClosed = errors.New("the recorder of changes is closed")

// New returns a Recorder. It does no I/O.
func New(options Options) *Recorder {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	r := &Recorder{options: options, opened: map[string]*directory{}, dead: map[string]bool{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Close cancels comparisons that are still running and closes all directories.
// The calls that were being compared are found by the next start.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	r.closed = true
	all := slices.Collect(maps.Values(r.opened))
	r.mu.Unlock()
	r.cancel()
	r.work.Wait()
	var err error
	for _, d := range all {
		err = errors.Join(err, d.close())
	}
	return err
}

// directory is the workspace of sessions in one directory.
type directory struct {
	root  string
	place string
	ready chan struct{} // closed when workspace or err is set

	workspace *snapshot.Workspace
	err       error

	// Protected by Recorder.mu.
	users     int
	idle      *time.Timer
	warmed    bool    // the first scan was started
	comparing []*call // calls that have ended and are being compared
	unsettled bool    // changes of a turn are not reported
	tidied    time.Time
	full      bool // something was not kept because the storage is full
}

func (d *directory) close() error {
	<-d.ready
	if d.workspace == nil {
		return nil
	}
	if d.unsettled { // no turn uses the directory
		return d.workspace.CloseUnsettled()
	}
	return d.workspace.Close()
}

// hold returns the directory at a path and keeps it open until release is called.
// It does not wait until the directory is open.
func (r *Recorder) hold(path string) (*directory, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	d := r.opened[path]
	if d == nil {
		d = &directory{root: path, place: r.options.Place, ready: make(chan struct{})}
		r.opened[path] = d
		r.work.Go(func() {
			defer close(d.ready)
			d.workspace, d.err = openWorkspace(r.options, path)
		})
	}
	d.users++
	if d.idle != nil {
		d.idle.Stop()
	}
	return d, nil
}

// release allows that the directory is closed after some time without use.
func (r *Recorder) release(d *directory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d.users--; d.users > 0 || r.closed {
		return
	}
	d.idle = time.AfterFunc(idleTime, func() {
		r.mu.Lock()
		unused := d.users == 0 && !r.closed && r.opened[d.root] == d
		if unused {
			delete(r.opened, d.root)
			r.work.Add(1)
		}
		r.mu.Unlock()
		if !unused {
			return
		}
		defer r.work.Done()
		r.tidy(d)
		if err := d.close(); err != nil {
			r.options.Logger.Warn("closing the undo storage failed", "dir", d.root, "err", err)
		}
	})
}

// tidyEvery is how often a directory that is in use is tidied.
const tidyEvery = time.Hour

// tidySometimes tidies a directory that is in use, if that was long ago or if its
// storage is full.
func (r *Recorder) tidySometimes(d *directory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if d.tidied.IsZero() {
		d.tidied = time.Now()
	}
	if r.closed || !d.full && time.Since(d.tidied) < tidyEvery {
		return
	}
	d.tidied, d.full = time.Now(), false
	d.users++
	r.work.Go(func() {
		defer r.release(d)
		r.tidy(d)
	})
}

// tidy removes what is no longer needed.
func (r *Recorder) tidy(d *directory) {
	<-d.ready
	if d.workspace == nil {
		return
	}
	if _, err := d.workspace.Collect(r.ctx); err != nil && r.ctx.Err() == nil {
		r.options.Logger.Warn("the undo storage cannot be tidied", "dir", d.root, "err", err)
	}
	d.collectTrash(r)
}

// wait returns the workspace of the directory when it is open.
func (d *directory) wait(ctx context.Context) (*snapshot.Workspace, error) {
	select {
	case <-d.ready:
		return d.workspace, d.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Forget removes everything that is kept of a directory, before the directory
// itself is removed.
func (r *Recorder) Forget(ctx context.Context, path string) error {
	if r == nil {
		return nil
	}
	d, err := r.hold(filepath.Clean(path))
	if err != nil {
		return err
	}
	w, err := d.wait(ctx)
	if err == nil {
		err = r.settled(ctx, d)
	}
	r.mu.Lock()
	d.users--
	if r.opened[d.root] == d {
		delete(r.opened, d.root)
	}
	r.mu.Unlock()
	if err != nil {
		return err
	}
	return errors.Join(w.Close(), os.RemoveAll(w.Dir()))
}

func openWorkspace(options Options, path string) (*snapshot.Workspace, error) {
	w, err := snapshot.Open(options.Place, path, options.Limits)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(w.Dir(), undosName), 0o700); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Work is the part of a turn that receives its changes and the progress of scans.
// *hub.Work implements it.
type Work interface {
	Emit(b bellcord.Body) error
	SetChanges(c bellcord.Changes)
	FollowChanges(wait func(context.Context) (bellcord.Changes, error))
}
