package undo

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// doubt orders certainties, the most certain first.
var doubt = []tree.Certainty{tree.Own, tree.During, tree.Found, tree.Loose, tree.Disputed}

// fold combines the changes of calls, in the order of the calls, into one change
// for each path. The certainty of a path is the least one of its changes.
func fold(calls [][]tree.Change) []tree.Change {
	var all []tree.Change
	at := map[string]int{}
	for _, changes := range calls {
		for _, c := range changes {
			i, known := at[c.Path]
			if !known {
				at[c.Path] = len(all)
				all = append(all, c)
				continue
			}
			earlier := &all[i]
			earlier.After = c.After
			if earlier.Kept && !c.Kept {
				earlier.Kept, earlier.Reason = false, c.Reason
			}
			if slices.Index(doubt, c.Certainty) > slices.Index(doubt, earlier.Certainty) {
				earlier.Certainty = c.Certainty
			}
		}
	}
	all = slices.DeleteFunc(all, func(c tree.Change) bool { return c.Before.Equal(c.After) })
	slices.SortFunc(all, tree.Compare)
	return all
}

// summary describes the changes of a turn for its receipt.
func summary(results []snapshot.Result, problem string) bellcord.Changes {
	c := bellcord.Changes{Problem: problem}
	var lists [][]tree.Change
	for _, r := range results {
		lists = append(lists, r.Changes)
		for _, g := range r.Gaps {
			gap := bellcord.FileGap{Path: printable(g.Path), Reason: g.Reason.String()}
			if !slices.Contains(c.Gaps, gap) {
				c.Gaps = append(c.Gaps, gap)
			}
		}
	}
	all := fold(lists)
	for _, change := range all {
		f := describe(change)
		if !f.Directory {
			count(&c, f)
		}
		if len(c.Files) < bellcord.MostListedFiles {
			c.Files = append(c.Files, f)
		} else {
			c.More++
		}
	}
	return c
}

func count(c *bellcord.Changes, f bellcord.FileChange) {
	switch f.Kind {
	case bellcord.FileCreated:
		c.Created++
	case bellcord.FileDeleted:
		c.Deleted++
	case bellcord.FileChanged:
		c.Changed++
	}
	if f.NotKept != "" {
		c.NotKept++
	}
}

func describe(c tree.Change) bellcord.FileChange {
	f := bellcord.FileChange{Path: printable(c.Path), Kind: bellcord.FileChanged, Certainty: bellcord.Certainty(c.Certainty)}
	kind := c.After.Kind
	switch {
	case c.Before.Kind == tree.Absent:
		f.Kind = bellcord.FileCreated
	case c.After.Kind == tree.Absent:
		f.Kind, kind = bellcord.FileDeleted, c.Before.Kind
	}
	f.Directory = kind == tree.Directory && (c.Before.Kind == tree.Absent || c.Before.Kind == kind || c.After.Kind == tree.Absent)
	if !c.Kept {
		f.NotKept = c.Reason
		if f.NotKept == "" {
			f.NotKept = "its bytes are not kept"
		}
	}
	return f
}

// printable returns a path as JSON can contain it.
func printable(path string) string { return strings.ToValidUTF8(path, "\uFFFD") }
