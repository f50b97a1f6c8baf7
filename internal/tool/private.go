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

// Private names what file tools never read, list or change, in any mode:
// Bellcord's own data and configuration. Directories are compared by what is
// opened and not by name, so no link leads into them.
type Private struct {
	Paths []string // absolute; each a directory or a file, which need not exist
	// Workspaces is a directory inside of one of Paths. Sessions may work in the
	// directories below it.
	Workspaces string
}

// KeepOut returns the tools with private out of their reach.
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

// anchor is the deepest directory or file of a private path that exists, and
// the names below it that do not exist yet.
type anchor struct {
	info fs.FileInfo
	rest []string
}

// errPrivate is returned for a path that is private.
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
// lead to something private that does not exist yet.
func refuses(anchors []anchor, info fs.FileInfo, below []string) bool {
	return slices.ContainsFunc(anchors, func(a anchor) bool {
		return os.SameFile(a.info, info) && len(below) >= len(a.rest) &&
			strings.EqualFold(filepath.Join(below[:len(a.rest)]...), filepath.Join(a.rest...))
	})
}

// opened refuses a file or directory that is open and private.
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

// covers refuses a session's directory that is inside of something private and
// not a workspace.
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
// without links. It refuses a private path. A path that cannot be followed is
// returned as it is: using it fails for the same reason.
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
