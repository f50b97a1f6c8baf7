package tool

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

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/nearest"
)

// target is an existing file or directory that a call reads.
type target struct {
	root *os.Root
	path string // relative to root
	line int    // the line in the call's path, or 0
	note string // reports a path that differs from the call's, or ""

	output bool // an output of the session, outside its directories
}

func (t target) close() { _ = t.root.Close() }

// names returns the names in the path of an entry of a walk through the target.
func (t target) names(e entry) []string {
	path := e.path
	if t.path != "." {
		path = path[len(t.path)+1:]
	}
	return strings.Split(path, string(filepath.Separator))
}

// noted returns the result of a finished call with the target's note.
func (t target) noted(r Result) Result {
	if !r.Failed && r.Fate == bellcord.CallFinished {
		r.Text = t.note + r.Text
	}
	return r
}

// openRead returns the file or directory that a call reads. If there is nothing
// at path as written, and exactly one of otherPaths exists, it returns that. It
// follows links only inside the session's directories. The caller must close
// target.
func openRead(ctx context.Context, call Call, path string) (target, error) {
	if at, ok := openOutput(call, path); ok {
		return at, nil
	}
	root, rel, err := openDir(call, path)
	if err == nil {
		if _, err = root.Lstat(rel); !absent(err) {
			return target{root: root, path: rel}, nil
		}
		defer func() { _ = root.Close() }()
	}
	if call.AsWritten || !absent(err) && !errors.Is(err, errOutside) {
		return target{}, err
	}
	var found []target
	for _, other := range otherPaths(call, path) {
		at, ok := openOther(call, other)
		switch {
		case ok && slices.ContainsFunc(found, func(f target) bool { return f.path == at.path && f.root.Name() == at.root.Name() }):
			at.close()
		case ok:
			at.note = fmt.Sprintf("[there is no %s here; this is %s]\n", shown(path), shown(call.reported(at.root, at.path)))
			found = append(found, at)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	var names []string
	for _, f := range found {
		names = append(names, shown(call.reported(f.root, f.path)))
		f.close()
	}
	if names == nil && root != nil && err != nil {
		names = similar(ctx, call, root, rel)
	}
	if absent(err) {
		err = fmt.Errorf("%s: no such file or directory", shown(path))
	}
	if names != nil {
		err = fmt.Errorf("%w; did you mean %s?", err, strings.Join(names, ", "))
	}
	return target{}, err
}

// suggested adds the files that a mistaken path can mean to the error of a call that
// changes a file. Such a call never takes one of them by itself.
func suggested(ctx context.Context, call Call, path string, err error) error {
	at, failure := openRead(ctx, call, path)
	if failure == nil {
		defer at.close()
		return fmt.Errorf("%w; did you mean %s?", err, shown(call.reported(at.root, at.path)))
	}
	if _, names, found := strings.Cut(failure.Error(), "; did you mean "); found {
		return fmt.Errorf("%w; did you mean %s", err, names)
	}
	return err
}

func openOther(call Call, other otherPath) (target, bool) {
	root, rel, err := openDir(call, other.path)
	if err != nil {
		return target{}, false
	}
	if _, err := root.Stat(rel); err != nil {
		_ = root.Close()
		return target{}, false
	}
	return target{root: root, path: rel, line: other.line}, true
}

func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// similar returns up to three existing paths that are similar to a path that
// does not exist.
func similar(ctx context.Context, call Call, root *os.Root, path string) []string {
	dir, rest := filepath.Dir(path), []string{filepath.Base(path)}
	for {
		if info, err := root.Stat(dir); err == nil && info.IsDir() {
			break
		} else if dir == "." {
			return nil
		}
		dir, rest = filepath.Dir(dir), append([]string{filepath.Base(dir)}, rest...)
	}
	entries, err := readDir(ctx, root, dir, call.private)
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
		if _, err := call.private.resolve(root, whole); err != nil {
			continue
		}
		found = append(found, shown(call.reported(root, whole)))
	}
	return found
}
