package restore

import (
	"maps"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// folded is the change of a path by several turns.
type folded struct {
	tree.Change
	// gap reports whether the path had another state before a turn than after the
	// turn before it: something else changed it between them.
	gap bool
	// implied reports whether it is a directory that no path names. It goes if it
	// is empty, and is otherwise not mentioned.
	implied bool
}

// fold combines the changes of turns, the newest first, into one change for each
// path, sorted by path.
func fold(turns [][]tree.Change) []folded {
	all := map[string]folded{}
	for _, changes := range turns {
		for _, c := range changes {
			newer, known := all[c.Path]
			if !known {
				all[c.Path] = folded{Change: c}
				continue
			}
			newer.gap = newer.gap || !newer.Before.Equal(c.After)
			newer.Before = c.Before
			newer.Kept = newer.Kept && c.Kept
			all[c.Path] = newer
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b folded) int { return tree.Compare(a.Change, b.Change) })
}

// choose returns the changes of the given paths and of everything below them, and of
// directories above them: those that must exist again, and those that the turns
// created, which go if they are empty. Without paths, it returns all.
func choose(changes []folded, paths []string) []folded {
	if len(paths) == 0 {
		return changes
	}
	var chosen []folded
	for _, c := range changes {
		named := slices.ContainsFunc(paths, func(path string) bool { return path == c.Path || isBelow(c.Path, path) })
		above := slices.ContainsFunc(paths, func(path string) bool { return isBelow(path, c.Path) })
		c.implied = !named && c.Before.Kind == tree.Absent && c.After.Kind == tree.Directory
		if named || above && (c.implied || c.Before.Kind == tree.Directory && c.After.Kind != tree.Directory) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

func isBelow(path, dir string) bool { return strings.HasPrefix(path, dir+"/") }
