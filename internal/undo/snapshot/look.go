package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// lookFirst observes single paths, and the directories above them. It returns
// the paths and the directories that do not exist.
func (u *update) lookFirst(ctx context.Context, paths []string) ([]string, error) {
	s := u.newScan(KeptPart)
	all := []string{}
	seen := map[string]bool{}
	for _, path := range paths {
		if !fs.ValidPath(strings.ToValidUTF8(path, "?")) || path == "." || s.isInRepository(path) {
			return nil, fmt.Errorf("keep %q: not a path in the workspace and outside .git", path)
		}
		for i, c := range []byte(path) {
			if dir := path[:i]; c == '/' && !seen[dir] {
				seen[dir] = true
				switch e, err := s.lookAt(dir, true); {
				case err != nil:
					return nil, err
				case e.state.Kind == tree.Absent:
					all = append(all, dir)
				case e.state.Kind != tree.Directory && !slices.Contains(paths, dir): // otherwise the call replaces it
					return nil, fmt.Errorf("keep %q: %q is not a directory", path, dir)
				}
			}
		}
		if !seen[path] {
			seen[path] = true
			all = append(all, path)
			if _, err := s.lookAt(path, true); err != nil {
				return nil, err
			}
		}
	}
	return all, u.record(ctx, s, s.sortOut())
}

// isInRepository reports whether a path is a .git directory or inside one.
func (s *scan) isInRepository(path string) bool {
	dir, name := splitPath(path)
	if slices.ContainsFunc(strings.Split(dir, "/"), isGit) {
		return true
	}
	e, err := s.files.stat(path)
	return isGit(name) && err == nil && e.state.Kind == tree.Directory
}

// lookAgain observes the paths that lookFirst returned.
func (u *update) lookAgain(ctx context.Context, paths []string) error {
	s := u.newScan(KeptPart)
	for _, path := range paths {
		if _, err := s.lookAt(path, false); err != nil {
			return err
		}
	}
	return u.record(ctx, s, s.sortOut())
}

// lookAt observes one path, without the entries of a directory. The first time,
// a path that the index does not have may have existed before.
func (s *scan) lookAt(path string, first bool) (entry, error) {
	old := s.index.nodeAt(path)
	dir, _ := splitPath(path)
	parent := s.index.nodeAt(dir)
	baseline := first && old == nil && (parent == nil || parent.unlisted)
	e, err := s.files.stat(path)
	switch {
	case isGone(err):
		e = entry{}
	case err != nil:
		return e, fmt.Errorf("keep %q: %w", path, err)
	}
	if old != nil && old.state.Kind == tree.Directory && e.state.Kind != tree.Directory {
		for p := range old.all(path) {
			s.deltas = append(s.deltas, delta{path: p})
		}
	}
	switch {
	case e.state.Kind == tree.Absent:
		if old != nil {
			s.deltas = append(s.deltas, delta{path: path})
		}
	case e.state.Kind != tree.Directory:
		s.candidates = append(s.candidates, candidate{path: path, entry: e, old: old, baseline: baseline})
	case old == nil || old.state.Kind != e.state.Kind || old.state.Mode != e.state.Mode:
		d := delta{path, e, baseline}
		d.unlisted = baseline || old != nil && old.unlisted
		s.deltas = append(s.deltas, d)
	}
	return e, nil
}

// isGone reports whether an error means that a path does not exist. It does not
// if a file or a symbolic link is in the place of a directory above it.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}
