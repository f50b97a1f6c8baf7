package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/permit"
)

// Private lists the paths that file tools never read, list or change, in any
// mode: Bellcord's data and configuration. They are compared by identity
// (os.SameFile), not by name, so links cannot bypass the check.
type Private struct {
	Paths []string // absolute paths of directories or files, which need not exist
	// Workspaces is a directory inside one of Paths. Sessions may work in the
	// directories below it.
	Workspaces string
	// Denies returns why a rule denies a call in every mode, or "". A file is not
	// read if a rule denies read_file for it, whichever tool reads it. Nil denies
	// nothing.
	Denies func(permit.Call) string
}

// Anchor is the deepest existing ancestor of a private path, or the path
// itself, and the names below it that do not exist yet.
type Anchor struct {
	info fs.FileInfo
	rest []string
}

// ErrPrivate is returned for a private path.
var ErrPrivate = errors.New("this path belongs to Bellcord, and file tools cannot access it; the user has to edit it")

// Anchors returns the private paths as Refuses compares them.
func (p Private) Anchors() []Anchor {
	var all []Anchor
	for _, path := range p.Paths {
		var rest []string
		for at := filepath.Clean(path); ; at = filepath.Dir(at) {
			if info, err := os.Stat(at); err == nil {
				all = append(all, Anchor{info, rest})
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

// Refuses reports whether a directory or file is private, or the names below it
// lead to a private path that does not exist yet.
func Refuses(anchors []Anchor, info fs.FileInfo, below []string) bool {
	return slices.ContainsFunc(anchors, func(a Anchor) bool {
		return os.SameFile(a.info, info) && len(below) >= len(a.rest) &&
			strings.EqualFold(filepath.Join(below[:len(a.rest)]...), filepath.Join(a.rest...))
	})
}

// Opened returns an error if an open file or directory is private.
func (p Private) Opened(path string, f interface{ Stat() (fs.FileInfo, error) }) error {
	if len(p.Paths) == 0 {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if Refuses(p.Anchors(), info, nil) {
		return fmt.Errorf("%s: %w", Shown(path), ErrPrivate)
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
	anchors := p.Anchors()
	workspaces, wsErr := os.Stat(p.Workspaces)
	for at := real; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err != nil:
			return err
		case wsErr == nil && at != real && os.SameFile(info, workspaces):
			return nil
		case Refuses(anchors, info, nil):
			return fmt.Errorf("%s: %w", Shown(dir), ErrPrivate)
		case at == filepath.Dir(at):
			return nil
		}
	}
}

// readable returns an error if a rule denies read_file for an open file.
func (p Private) readable(root *os.Root, path string, opened fs.FileInfo) error {
	if p.Denies == nil {
		return nil
	}
	real, err := p.Real(root, path)
	if err != nil {
		return err
	}
	now, err := root.Lstat(real)
	if err != nil {
		return err
	}
	if !os.SameFile(now, opened) {
		return replacedMeanwhile(path)
	}
	return p.Readable(root.Name(), real)
}

func replacedMeanwhile(path string) error {
	return fmt.Errorf("%s was replaced while it was opened; try again", Shown(path))
}

// Readable returns an error if a rule denies read_file for a path without links in
// the directory dir.
func (p Private) Readable(dir, path string) error {
	if p.Denies == nil {
		return nil
	}
	rel := filepath.ToSlash(path)
	call := permit.Call{Tool: "read_file", Effect: permit.Reads, Subject: rel, Other: []string{filepath.ToSlash(filepath.Join(dir, path))}}
	if why := p.Denies(call); why != "" {
		return fmt.Errorf("%s: %s", Shown(path), why)
	}
	return nil
}

// Real follows the links of a clean path inside root and returns the path
// without links. It returns an error for a private path. A path that cannot be
// resolved is returned unchanged: using it fails for the same reason.
func (p Private) Real(root *os.Root, path string) (string, error) {
	anchors := p.Anchors()
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
		if err == nil && Refuses(anchors, info, todo) {
			return "", fmt.Errorf("%s: %w", Shown(path), ErrPrivate)
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
