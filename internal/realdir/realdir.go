// Package realdir opens directories by paths that contain no symbolic link.
//
// A person can name the directory of a session by any path. Resolve replaces the
// links in it once, at that moment. From then on the path is opened as it is: a
// command of the session, or of another one, can put a link or another directory at
// the path, and must not choose by that where the session works.
package realdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// ErrReplaced is part of the error for a directory that was replaced by a link or by
// another directory.
var ErrReplaced = errors.New("it was replaced")

// Resolve returns a path with the symbolic links in it replaced. The end of the path
// need not exist.
func Resolve(path string) string {
	rest := ""
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return filepath.Clean(path)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// Open opens a directory. The error contains ErrReplaced if its path leads through a
// symbolic link.
func Open(path string) (*os.Root, error) { return (*Held)(nil).Open(path) }

// Held remembers which directories it has opened first, for example during a turn.
// The zero value is ready to use. It is safe for concurrent use. A nil Held remembers
// nothing.
type Held struct {
	mu   sync.Mutex
	dirs map[string]fs.FileInfo // by path
}

// Open is Open for a directory that must be the one that was first opened at its path.
func (h *Held) Open(path string) (*os.Root, error) {
	found, err := look(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(found, opened) {
		err = linked(path) // between the two calls
	}
	if err == nil {
		err = h.compare(path, opened)
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return root, nil
}

// Check returns an error if one of the directories was replaced. A missing one was
// not.
func (h *Held) Check(paths ...string) error {
	for _, path := range paths {
		root, err := h.Open(path)
		switch {
		case err == nil:
			_ = root.Close()
		case errors.Is(err, ErrReplaced):
			return err
		}
	}
	return nil
}

func (h *Held) compare(path string, opened fs.FileInfo) error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	first, known := h.dirs[path]
	switch {
	case !known && h.dirs == nil:
		h.dirs = map[string]fs.FileInfo{path: opened}
	case !known:
		h.dirs[path] = opened
	case !os.SameFile(first, opened):
		return fmt.Errorf("another directory is at %s now: %w during the turn. Send another prompt to work in the new directory", path, ErrReplaced)
	}
	return nil
}

func linked(path string) error {
	return fmt.Errorf("the session's directory %s leads through a symbolic link: %w after the session began. "+
		"Start a new session in the directory that you mean", path, ErrReplaced)
}

// walk returns the directory at a path after it has looked at each component.
func walk(path string) (fs.FileInfo, error) {
	path = filepath.Clean(path)
	found, err := os.Lstat(path)
	for at, info := path, found; ; info, err = os.Lstat(at) {
		switch {
		case err != nil:
			return nil, err
		case info.Mode()&fs.ModeSymlink != 0:
			return nil, linked(path)
		case at == filepath.Dir(at):
			return found, nil
		}
		at = filepath.Dir(at)
	}
}
