// Package snapshot keeps the bytes of the files in a workspace, and finds the
// changes that calls make.
//
// A Workspace has an index of all paths with their metadata and checksums, and a
// pack with the bytes. Both are outside the workspace and outside every .git
// directory. Of a .git directory, only its state is recorded. The index is in memory, and on
// disk as a base file and a log. Several processes can open one workspace: every
// operation takes a lock, and first reads what others have appended to the log.
//
// Begin scans the workspace and opens a call. When it returns nil, the bytes of
// every kept file are durable. End scans again and returns the changes. Keep
// opens a call that changes only the given paths, without a scan. A change is
// added to every call that is open when it is found, and is disputed if these
// belong to several sessions. A change while no call is open belongs to none. Calls
// in workspaces inside this one and around it dispute changes, too.
//
// If the context of an operation ends, the operation returns after the directory,
// the file or the write that is in progress, and the state on disk is consistent.
// A process can be killed at any time: the next Open removes everything that was
// not recorded, and Left returns the calls that the process left.
//
// Kept are files and symbolic links up to 8 MiB, also those that git ignores.
// Directories of generated files have metadata only: node_modules, .venv,
// directories with a CACHEDIR.TAG, and directories that git ignores if they are
// named target or exceed a limit. Gaps, reports and changes name everything that
// is not kept, with the reason.
//
// The package is tested on Linux. On macOS it is only compiled. On Windows it is
// only compiled too, and recognises changes by size and time of the last write,
// because directory listings have neither change time nor inode.
package snapshot

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/filelock"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

var (
	// ErrPlace means that the snapshot would be stored in the workspace or in a
	// .git directory.
	ErrPlace = errors.New("the undo storage cannot be inside the workspace or a .git directory")
	// ErrBusy means that another operation held the lock for longer than the
	// time limit.
	ErrBusy = errors.New("another operation on the workspace takes too long")
	// ErrUnknown means that there is no such call, or no longer.
	ErrUnknown = errors.New("unknown call")
	// ErrExists means that a call with the same ID exists.
	ErrExists = errors.New("a call with this ID exists")
	// ErrClosed means that the workspace was closed.
	ErrClosed = errors.New("the workspace is closed")
)

// Workspace is a directory and its snapshot. Its methods can be called
// concurrently.
type Workspace struct {
	dir      string
	root     string // path of the directory, without symbolic links
	limits   Limits
	files    *files
	handle   string   // name of this Workspace in the records of calls
	alive    *os.File // locked while this Workspace is open
	rules    ruleCache
	progress progress
	space    func(dir string) (free, total uint64, err error)
	now      func() time.Time

	// turn has one element. Taking it protects the fields below; the lock file
	// protects what they describe on disk.
	turn    chan struct{}
	journal journal
	index   *index
	closed  bool
}

// Open opens the snapshot of the directory root, below the directory place,
// which it creates. Everything that killed processes have left is removed.
func Open(place, root string, limits Limits) (*Workspace, error) {
	limits, err := limits.withDefaults()
	if err != nil {
		return nil, err
	}
	f, err := openFiles(root)
	if err != nil {
		return nil, err
	}
	w := &Workspace{
		limits: limits, files: f, handle: strings.ToLower(rand.Text()[:12]), space: diskSpace, now: time.Now,
		turn: make(chan struct{}, 1), rules: ruleCache{rules: map[string]cachedRules{}},
	}
	w.turn <- struct{}{}
	if err := w.open(place, root); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return w, nil
}

func (w *Workspace) open(place, root string) error {
	id, err := w.files.identity()
	if err != nil {
		return err
	}
	if err := checkPlace(place, root); err != nil {
		return err
	}
	w.dir = filepath.Join(place, id)
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return err
	}
	w.journal.dir = w.dir
	_, release, err := w.acquire(context.Background())
	if err != nil {
		return err
	}
	defer release()
	if err := errors.Join(w.removeStrays(), w.saveRoot(root)); err != nil {
		return err
	}
	if w.alive, err = os.OpenFile(w.alivePath(w.handle), os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return err
	}
	if err := filelock.Wait(w.alive); err != nil { // at most for a moment, while another process asks whether it is held
		return errors.Join(err, w.alive.Close())
	}
	return nil
}

// checkPlace fails if place is in root or in a .git directory. The part of place
// that exists is compared without symbolic links.
func checkPlace(place, root string) error {
	place, err := filepath.Abs(place)
	if err != nil {
		return err
	}
	place = realdir.Resolve(place)
	if slices.ContainsFunc(strings.Split(filepath.ToSlash(place), "/"), isGit) {
		return fmt.Errorf("%w: %s", ErrPlace, place)
	}
	top, err := os.Stat(root)
	if err != nil {
		return err
	}
	for dir := place; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && os.SameFile(info, top) {
			return fmt.Errorf("%w: %s is in %s", ErrPlace, place, root)
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// AlivePrefix is the beginning of the names of files that processes hold locked
// while they use the workspace. The rest is the handle.
const AlivePrefix = "alive-"

func (w *Workspace) alivePath(handle string) string {
	return filepath.Join(w.dir, AlivePrefix+handle)
}

// isAlive reports whether the Workspace with a handle is open in some process.
func (w *Workspace) isAlive(handle string) bool {
	if handle == w.handle {
		return true
	}
	held, err := filelock.IsHeld(w.alivePath(handle))
	return held || err != nil && !errors.Is(err, os.ErrNotExist)
}

// removeStrays removes files of operations that did not end, and of processes
// that have died and left nothing: see Left.
func (w *Workspace) removeStrays() error {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		handle, isHandle := strings.CutPrefix(name, AlivePrefix)
		switch {
		case isHandle:
			if !w.index.mentions(handle) && !w.isAlive(handle) {
				if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
					return err
				}
			}
		case strings.HasPrefix(name, "."+baseName), strings.HasPrefix(name, "."+rootName),
			strings.HasPrefix(name, "log-") && name != filepath.Base(w.journal.logPath()):
			if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
				return err
			}
		}
	}
	p, err := openPack(w.dir, w.limits.Segment, w.index)
	if err == nil {
		p.closeSegment()
	}
	return err
}

// acquire locks the workspace and brings the index up to date. Waiting and the
// scan that follows share the time of the limits.
func (w *Workspace) acquire(ctx context.Context) (*update, func(), error) {
	deadline := time.Now().Add(w.limits.Time)
	timeout := time.NewTimer(w.limits.Time)
	defer timeout.Stop()
	select {
	case <-w.turn:
	default:
		select {
		case <-w.turn:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-timeout.C:
			return nil, nil, ErrBusy
		}
	}
	w.progress.files.Store(0)
	w.progress.bytes.Store(0)
	lock, err := w.lock(ctx, timeout.C)
	if err != nil {
		w.turn <- struct{}{}
		return nil, nil, err
	}
	u := &update{Workspace: w, deadline: deadline}
	release := func() {
		if u.pack != nil {
			u.pack.closeSegment()
		}
		_ = filelock.Release(lock)
		w.turn <- struct{}{}
	}
	if w.index, err = w.journal.refresh(w.index); err != nil {
		release()
		return nil, nil, err
	}
	return u, release, nil
}

func (w *Workspace) lock(ctx context.Context, timeout <-chan time.Time) (*os.File, error) {
	if w.closed {
		return nil, ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	retry := time.NewTicker(2 * time.Millisecond)
	defer retry.Stop()
	for {
		f, err := filelock.Try(filepath.Join(w.dir, "lock"))
		if !errors.Is(err, filelock.ErrHeld) {
			return f, err
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timeout:
			return nil, ErrBusy
		}
	}
}

// Open returns the bytes with a checksum. It waits for an operation that is
// running, at most for the time of the limits.
func (w *Workspace) Open(sum tree.Sum) (io.ReadCloser, error) {
	if sum == emptySum {
		return io.NopCloser(strings.NewReader("")), nil
	}
	_, release, err := w.acquire(context.Background())
	if err != nil {
		return nil, err
	}
	defer release()
	at, ok := w.index.blobs[sum]
	if !ok {
		return nil, fmt.Errorf("bytes with the checksum %x: %w", sum[:4], os.ErrNotExist)
	}
	data, err := readBlob(w.dir, sum, at)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// Close waits for the operation that is running and releases the workspace. Calls
// of this Workspace that are still open are found by the next one.
func (w *Workspace) Close() error { return w.close(false) }

// CloseUnsettled is Close for a Workspace with calls that have ended, but are not
// reported. Left returns them.
func (w *Workspace) CloseUnsettled() error { return w.close(true) }

func (w *Workspace) close(unsettled bool) error {
	<-w.turn
	defer func() { w.turn <- struct{}{} }()
	if w.closed {
		return nil
	}
	w.closed = true
	err := errors.Join(filelock.Release(w.alive), w.files.close())
	if !unsettled && !w.index.isOpen(w.handle) {
		_ = os.Remove(w.alive.Name()) // otherwise Settle removes it
	}
	return err
}
