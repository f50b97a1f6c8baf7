package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/internal/filelock"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// rootName is the file with the path of the workspace, without symbolic links.
const rootName = "root"

// Root returns the path of the workspace that is stored in dir.
func Root(dir string) (string, error) {
	root, err := os.ReadFile(filepath.Join(dir, rootName))
	return string(root), err
}

// saveRoot records the path of the workspace.
func (w *Workspace) saveRoot(path string) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if w.root, err = filepath.Abs(path); err != nil {
		return err
	}
	if known, err := Root(w.dir); err == nil && known == w.root {
		return nil
	}
	return durable.Replace(filepath.Join(w.dir, rootName), []byte(w.root))
}

// nested is the snapshot of a directory inside the workspace, or around it.
type nested struct {
	dir     string // of the snapshot
	inner   string // path of the inner directory in the outer one
	isInner bool   // the snapshot is the one of the inner directory
}

// there returns a path of the workspace as the other snapshot has it.
func (n nested) there(path string) (string, bool) {
	if !n.isInner {
		return join(n.inner, path), true
	}
	rest, isBelow := strings.CutPrefix(path+"/", n.inner+"/")
	return strings.TrimSuffix(rest, "/"), isBelow
}

// Nested returns the storage of the workspaces inside this one and around it that a
// process uses, or used when it died.
func (w *Workspace) Nested() []string {
	var dirs []string
	for _, n := range w.nested(time.Now()) {
		dirs = append(dirs, n.dir)
	}
	return dirs
}

// nested returns the snapshots of other workspaces inside this one and around it
// that were used since the given time.
func (w *Workspace) nested(since time.Time) []nested {
	place := filepath.Dir(w.dir)
	entries, _ := os.ReadDir(place) // w.dir is in it
	var all []nested
	for _, e := range entries {
		dir := filepath.Join(place, e.Name())
		if info, err := e.Info(); err != nil || dir == w.dir || !isUsed(dir, info, since) {
			continue
		}
		root, err := Root(dir)
		if err != nil {
			continue // no call was opened
		}
		if inner, err := filepath.Rel(w.root, root); err == nil && filepath.IsLocal(inner) {
			all = append(all, nested{dir, filepath.ToSlash(inner), true})
		} else if inner, err := filepath.Rel(root, w.root); err == nil && filepath.IsLocal(inner) {
			all = append(all, nested{dir, filepath.ToSlash(inner), false})
		}
	}
	return all
}

// isUsed reports whether a process uses a snapshot, or has closed it since the given
// time. A process that has died and whose directory is gone does not count: nobody
// can find the changes of its calls.
func isUsed(dir string, info fs.FileInfo, since time.Time) bool {
	const coarse = time.Second // the system dates files less precisely
	if !info.ModTime().Before(since.Add(-coarse)) {
		return true
	}
	handles := Handles(dir)
	isHeld := func(handle string) bool { return isHeld(dir, handle) }
	return slices.ContainsFunc(handles, isHeld) || len(handles) > 0 && isThere(dir)
}

func isHeld(dir, handle string) bool {
	held, err := filelock.IsHeld(filepath.Join(dir, AlivePrefix+handle))
	return held || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// IsThere reports whether the directory of the workspace is at its path.
func (w *Workspace) IsThere() bool { return isThere(w.dir) }

// isThere reports whether the directory of a snapshot is at its path.
func isThere(dir string) bool {
	root, err := Root(dir)
	if err != nil {
		return false
	}
	f, err := openFiles(root)
	if err != nil {
		return false
	}
	id, err := f.identity()
	return errors.Join(err, f.close()) == nil && id == filepath.Base(dir)
}

// claims returns a function that reports whether calls of other sessions in nested
// workspaces can have changed a path while a call was open. Such a call claims the
// paths that it has changed, and while it is open all that it can change.
func (w *Workspace) claims(c *openCall) func(path string) bool {
	var all []func(path string) bool
	for _, n := range w.nested(c.at) {
		x, err := readCalls(n.dir)
		if err != nil {
			all = append(all, func(path string) bool { _, is := n.there(path); return is })
			continue
		}
		for _, o := range x.open {
			if o.Session != c.Session {
				all = append(all, func(path string) bool { at, is := n.there(path); return is && o.covers(at) })
			}
		}
		for _, e := range x.ended {
			if e.Session != c.Session && !e.at.Before(c.at) {
				all = append(all, func(path string) bool { at, is := n.there(path); return is && e.result.has(at) })
			}
		}
	}
	return func(path string) bool {
		return slices.ContainsFunc(all, func(claims func(string) bool) bool { return claims(path) })
	}
}

// has reports whether the path is among the changes, or in a directory whose changes
// are unknown. Changes of the workspace's root are not recorded.
func (r Result) has(path string) bool {
	return path == "" || slices.ContainsFunc(r.Changes, func(c tree.Change) bool { return c.Path == path }) ||
		slices.ContainsFunc(r.Gaps, func(g Gap) bool { return below(path, g.Path) })
}

// readCalls returns the calls of a workspace without its lock. An incomplete record
// at the end does not count, and a base file is replaced in one step.
func readCalls(dir string) (*index, error) {
	for {
		j := journal{dir: dir}
		epoch, err := j.readEpoch()
		if err != nil {
			return nil, err
		}
		j.epoch = epoch
		x := newIndex()
		if data, err := os.ReadFile(filepath.Join(dir, baseName)); err == nil {
			err = x.replayCalls(data[min(len(data), baseHeader):])
			if err != nil {
				return nil, err
			}
		}
		if data, err := os.ReadFile(j.logPath()); err == nil {
			if err := x.replayCalls(data); err != nil {
				return nil, err
			}
		}
		if again, err := j.readEpoch(); err != nil || again == epoch { // otherwise it was replaced meanwhile
			return x, err
		}
	}
}

// replayCalls applies the records about calls.
func (x *index) replayCalls(data []byte) error {
	for {
		payload, size, ok := nextFrame(data)
		if !ok {
			return nil
		}
		switch payload[0] {
		case recordOpened, recordEnded, recordDropped:
			if _, err := x.replay(payload); err != nil {
				return err
			}
		}
		data = data[size:]
	}
}
