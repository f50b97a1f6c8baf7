package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bellcord/bellcord/internal/nearest"
)

// Target is an existing file or directory that a call reads.
type Target struct {
	Root *os.Root
	Path string // relative to root
	Line int    // the line in the call's path, or 0
	Note string // reports a path that differs from the call's, or ""

	Output bool // an output of the session, outside its directories
}

// Close closes the directory of the target.
func (t Target) Close() { _ = t.Root.Close() }

// IsDir reports whether the target is a directory.
func (t Target) IsDir() bool {
	info, err := t.Root.Stat(t.Path)
	return err == nil && info.IsDir()
}

// Names returns the names in a path below the target, relative to the target.
func (t Target) Names(path string) []string {
	if t.Path != "." {
		path = path[len(t.Path)+1:]
	}
	return strings.Split(path, string(filepath.Separator))
}

// OpenRead returns the file or directory that a call reads at path. If there is nothing
// at path as written, and exactly one of otherPaths exists, it returns that. It
// follows links only inside the session's directories. The caller must close
// target.
func (d Dirs) OpenRead(ctx context.Context, path string) (Target, error) {
	if at, ok := d.openOutput(path); ok {
		return at, nil
	}
	root, rel, err := d.OpenDir(path)
	if err == nil {
		if _, err = root.Lstat(rel); !absent(err) {
			return Target{Root: root, Path: rel}, nil
		}
		defer func() { _ = root.Close() }()
	}
	if d.AsWritten || !absent(err) && !errors.Is(err, errOutside) {
		return Target{}, err
	}
	var found []Target
	for _, other := range d.otherPaths(path) {
		at, ok := d.openOther(other)
		switch {
		case ok && slices.ContainsFunc(found, func(f Target) bool { return f.Path == at.Path && f.Root.Name() == at.Root.Name() }):
			at.Close()
		case ok:
			at.Note = fmt.Sprintf("[there is no %s here; this is %s]\n", Shown(path), Shown(d.Reported(at.Root, at.Path)))
			found = append(found, at)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	var names []string
	for _, f := range found {
		names = append(names, Shown(d.Reported(f.Root, f.Path)))
		f.Close()
	}
	if names == nil && root != nil && err != nil {
		names = d.similar(ctx, root, rel)
	}
	if absent(err) {
		err = fmt.Errorf("%s: no such file or directory", Shown(path))
	}
	if names != nil {
		err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(names, ", "))
	}
	return Target{}, err
}

// Suggested adds the files that a mistaken path can mean to the error of a call that
// changes a file. Such a call never takes one of them by itself.
func (d Dirs) Suggested(ctx context.Context, path string, err error) error {
	at, failure := d.OpenRead(ctx, path)
	if failure == nil {
		defer at.Close()
		return fmt.Errorf("%w; did you mean %s?", err, Shown(d.Reported(at.Root, at.Path)))
	}
	if _, names, found := strings.Cut(failure.Error(), "; did you mean "); found {
		return fmt.Errorf("%w; did you mean %s", err, names)
	}
	return err
}

func (d Dirs) openOther(other otherPath) (Target, bool) {
	root, rel, err := d.OpenDir(other.path)
	if err != nil {
		return Target{}, false
	}
	if _, err := root.Stat(rel); err != nil {
		_ = root.Close()
		return Target{}, false
	}
	return Target{Root: root, Path: rel, Line: other.line}, true
}

func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// similar returns up to three existing paths that are similar to a path that
// does not exist.
func (d Dirs) similar(ctx context.Context, root *os.Root, path string) []string {
	dir, rest := filepath.Dir(path), []string{filepath.Base(path)}
	for {
		if info, err := root.Stat(dir); err == nil && info.IsDir() {
			break
		} else if dir == "." {
			return nil
		}
		dir, rest = filepath.Dir(dir), append([]string{filepath.Base(dir)}, rest...)
	}
	entries, err := readDir(ctx, root, dir, d.Private)
	if err != nil {
		return nil
	}
	var names, found []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	for name := nearest.Name(rest[0], names); name != "" && len(found) < 3; name = nearest.Name(rest[0], names) {
		names = slices.DeleteFunc(names, func(n string) bool { return n == name })
		whole := filepath.Join(append([]string{dir, name}, rest[1:]...)...)
		if _, err := root.Stat(whole); err != nil {
			whole = filepath.Join(dir, name)
		}
		if _, err := d.Private.Real(root, whole); err != nil {
			continue
		}
		found = append(found, Shown(d.Reported(root, whole)))
	}
	return found
}

// openOutput opens an output of the session, if path is one.
func (d Dirs) openOutput(path string) (Target, bool) {
	if d.Output == nil || !d.Output(path) {
		return Target{}, false
	}
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return Target{}, false
	}
	name := filepath.Base(path)
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		_ = root.Close()
		return Target{}, false
	}
	return Target{Root: root, Path: name, Output: true}, true
}
