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
)

// Private lists the paths that file tools never read, list or change, in any
// mode: Bellcord's data and configuration. They are compared by identity
// (os.SameFile), not by name, so links cannot bypass the check.
type Private struct {
	Paths []string // absolute paths of directories or files, which need not exist
	// Workspaces is a directory inside one of Paths. Sessions may work in the
	// directories below it.
	Workspaces string
}

// KeepOut returns copies of the tools that refuse private paths.
func (p Private) KeepOut(tools []Tool) []Tool {
	out := slices.Clone(tools)
	for i := range out {
		out[i] = out[i].keepOut(p)
	}
	return out
}

func (t Tool) keepOut(p Private) Tool {
	run := t.Run
	t.private = p
	t.Run = func(ctx context.Context, call Call) Result {
		call.private = p
		return run(ctx, call)
	}
	return t
}

// anchor is the deepest existing ancestor of a private path, or the path
// itself, and the names below it that do not exist yet.
type anchor struct {
	info fs.FileInfo
	rest []string
}

// errPrivate is returned for a private path.
var errPrivate = errors.New("this path belongs to Bellcord, and file tools cannot access it; the user has to edit it")

func (p Private) anchors() []anchor {
	var all []anchor
	for _, path := range p.Paths {
		var rest []string
		for at := filepath.Clean(path); ; at = filepath.Dir(at) {
			if info, err := os.Stat(at); err == nil {
				all = append(all, anchor{info, rest})
				break
			}
			if at == filepath.Dir(at) {
				break
			}
			rest = append([]string{filepath.Base(at)}, rest...)
		}
	}
	return all
}

// refuses reports whether a directory or file is private, or the names below it
// lead to a private path that does not exist yet.
func refuses(anchors []anchor, info fs.FileInfo, below []string) bool {
	return slices.ContainsFunc(anchors, func(a anchor) bool {
		return os.SameFile(a.info, info) && len(below) >= len(a.rest) &&
			strings.EqualFold(filepath.Join(below[:len(a.rest)]...), filepath.Join(a.rest...))
	})
}

// opened returns an error if an open file or directory is private.
func (p Private) opened(path string, f interface{ Stat() (fs.FileInfo, error) }) error {
	if len(p.Paths) == 0 {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if refuses(p.anchors(), info, nil) {
		return fmt.Errorf("%s: %w", shown(path), errPrivate)
	}
	return nil
}

// covers returns an error if a session's directory is inside a private path and
// not inside a workspace.
func (p Private) covers(dir string) error {
	if len(p.Paths) == 0 {
		return nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	anchors := p.anchors()
	workspaces, wsErr := os.Stat(p.Workspaces)
	for at := real; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err != nil:
			return err
		case wsErr == nil && at != real && os.SameFile(info, workspaces):
			return nil
		case refuses(anchors, info, nil):
			return fmt.Errorf("%s: %w", shown(dir), errPrivate)
		case at == filepath.Dir(at):
			return nil
		}
	}
}

// resolve follows the links of a clean path inside root and returns the path
// without links. It returns an error for a private path. A path that cannot be
// resolved is returned unchanged: using it fails for the same reason.
func (p Private) resolve(root *os.Root, path string) (string, error) {
	anchors := p.anchors()
	done, todo := ".", strings.Split(filepath.Clean(path), string(filepath.Separator))
	for links := 0; ; {
		info, err := root.Lstat(done)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			target, err := root.Readlink(done)
			if links++; err != nil || filepath.IsAbs(target) || links > 40 {
				return path, nil
			}
			todo = append(strings.Split(filepath.Clean(target), string(filepath.Separator)), todo...)
			done = filepath.Dir(done)
			continue
		}
		if err == nil && refuses(anchors, info, todo) {
			return "", fmt.Errorf("%s: %w", shown(path), errPrivate)
		}
		if len(todo) == 0 {
			return done, nil
		}
		next := filepath.Join(done, todo[0])
		if todo = todo[1:]; !filepath.IsLocal(next) {
			return path, nil
		}
		done = next
	}
}
