package undo

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// skipped is the result for a path that needs a confirmation, or must be named.
const skipped restore.Result = "skipped"

// realPaths returns the requested paths as the workspace has them. It returns
// ErrPathUnchanged if paths are requested and nothing was changed at or below them.
func (q Request) realPaths(root string, lists [][]tree.Change) ([]string, error) {
	var paths []string
	for _, p := range q.Paths {
		if filepath.IsAbs(p) {
			if rel, err := filepath.Rel(root, p); err == nil {
				p = rel
			}
		}
		if p = path.Clean(filepath.ToSlash(p)); p == "." {
			return everyPath(lists), nil
		}
		paths = append(paths, p)
		for _, c := range slices.Concat(lists...) {
			if c.Path != p && printable(c.Path) == p {
				paths = append(paths, c.Path)
			}
		}
	}
	isNamedHere := func(c tree.Change) bool { return isNamed(c.Path, paths) }
	if len(paths) > 0 && !slices.ContainsFunc(slices.Concat(lists...), isNamedHere) {
		return nil, fmt.Errorf("%w: %s", bellcord.ErrPathUnchanged, printable(strings.Join(q.Paths, ", ")))
	}
	return paths, nil
}

// selected removes the changes that need a confirmation, or that must be named.
func (q Request) selected(lists [][]tree.Change, paths []string) ([][]tree.Change, []restore.Outcome) {
	oldest := slices.Clone(lists)
	slices.Reverse(oldest)
	omitted := map[string]bool{}
	var left []restore.Outcome
	for _, c := range fold(oldest) {
		reason := ""
		named := isNamed(c.Path, paths)
		switch c.Certainty {
		case tree.Own:
		case tree.During, tree.Found:
			if !q.Confirmed {
				reason = "it changed while a command was running: confirm the undo to restore it"
			}
		case tree.Disputed:
			if !named {
				reason = "calls of other sessions were running when it changed: name the path to restore it"
			}
		case tree.Loose:
			if !named {
				reason = "it changed between two calls: name the path to restore it"
			}
		}
		switch {
		case reason == "":
			continue
		case len(paths) > 0 && !named:
			// A directory does not go with the named paths in it if it would stay
			// in an undo of all paths.
			omitted[c.Path] = c.Before.Kind == tree.Absent && c.After.Kind == tree.Directory
			continue
		}
		omitted[c.Path] = true
		left = append(left, restore.Outcome{Path: c.Path, Result: skipped, Reason: reason})
	}
	kept := make([][]tree.Change, len(lists))
	for i, l := range lists {
		kept[i] = slices.DeleteFunc(slices.Clone(l), func(c tree.Change) bool { return omitted[c.Path] })
	}
	return kept, left
}

// isNamed reports whether a path is one of the paths or below one of them.
func isNamed(path string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return p == path || strings.HasPrefix(path, p+"/") })
}

// only returns the changes of the paths and of everything below them.
func only(changes []tree.Change, paths []string) []tree.Change {
	return slices.DeleteFunc(changes, func(c tree.Change) bool { return !isNamed(c.Path, paths) })
}

// everyPath returns the paths of all changes.
func everyPath(lists [][]tree.Change) []string {
	var paths []string
	for _, c := range slices.Concat(lists...) {
		paths = append(paths, c.Path)
	}
	return paths
}
