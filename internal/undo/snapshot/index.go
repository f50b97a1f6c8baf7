package snapshot

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// entry is one observation of a path.
type entry struct {
	state  tree.State
	mtime  int64 // nanoseconds since 1970
	ctime  int64 // nanoseconds since 1970; zero where the system has none
	inode  uint64
	reason Reason
	// racy is true if the file was changed so shortly before it was read that a
	// later change could have the same times.
	racy bool
	// unlisted is true for a directory whose entries have never been read.
	unlisted bool
	// bulk is true for an ignored directory that exceeded a limit.
	bulk bool
}

// sameStat reports whether kind, mode, size, times and inode are equal.
func (e *entry) sameStat(other *entry) bool {
	return e.state.Kind == other.state.Kind && e.state.Mode == other.state.Mode && e.state.Size == other.state.Size &&
		e.mtime == other.mtime && e.ctime == other.ctime && e.inode == other.inode
}

func (e *entry) hasBytes() bool { return e.state.Kind == tree.File || e.state.Kind == tree.Symlink }

// differs reports whether the path changed between two observations. Without
// the bytes of both, the metadata decides.
func differs(before, after *entry) bool {
	if before.state.Equal(after.state) {
		return false
	}
	if before.hasBytes() && after.hasBytes() && (!before.state.Hashed || !after.state.Hashed) {
		return !before.sameStat(after)
	}
	return true
}

// node is a path of the index.
type node struct {
	entry
	children map[string]*node // of a directory
}

// all returns the paths below a directory, parents first, in no other order.
func (n *node) all(dir string) iter.Seq2[string, *node] {
	return func(yield func(string, *node) bool) { n.visit(dir, yield) }
}

func (n *node) visit(dir string, yield func(string, *node) bool) bool {
	for name, child := range n.children {
		path := join(dir, name)
		if !yield(path, child) || !child.visit(path, yield) {
			return false
		}
	}
	return true
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// below reports whether path is dir or inside it.
func below(path, dir string) bool {
	return dir == "" || strings.HasPrefix(path, dir) && (len(path) == len(dir) || path[len(dir)] == '/')
}

// delta is a new observation of a path. The kind Absent removes the path.
type delta struct {
	path string
	entry
	// baseline is true if the path was never observed although it may have
	// existed: it is not a change.
	baseline bool
}

// index is the last observation of every path, and the calls. Its content is a
// function of the records in the base file and the log.
type index struct {
	root    *node
	blobs   map[tree.Sum]place
	open    map[string]*openCall
	ended   map[string]*endedCall
	notKept map[Reason]int // files by the reason why their bytes are not kept
}

func newIndex() *index {
	return &index{
		root:    &node{entry: entry{state: tree.State{Kind: tree.Directory}, unlisted: true}},
		blobs:   map[tree.Sum]place{},
		open:    map[string]*openCall{},
		ended:   map[string]*endedCall{},
		notKept: map[Reason]int{},
	}
}

func (x *index) nodeAt(path string) *node {
	n := x.root
	for path != "" && n != nil {
		var name string
		name, path, _ = strings.Cut(path, "/")
		n = n.children[name]
	}
	return n
}

// apply stores observations, and adds the changes among them to the calls that
// are open. It returns the changes that happened while no call was open.
// Removals come first, children before parents; then parents before children.
func (x *index) apply(deltas []delta) []tree.Change {
	slices.SortFunc(deltas, func(a, b delta) int { return cmp.Compare(a.path, b.path) })
	var between []tree.Change
	kept := x.keptPaths()
	note := func(d *delta, before entry) {
		if d.baseline && !kept[d.path] || !differs(&before, &d.entry) {
			return
		}
		if !x.attribute(d.path, &before) && !isUsable(before.state, d.state) {
			between = append(between, x.change(d.path, before.state, d.state, cmp.Or(before.reason, d.reason), tree.Loose))
		}
	}
	for i := len(deltas) - 1; i >= 0; i-- {
		if d := &deltas[i]; d.state.Kind == tree.Absent && d.path != "" {
			dir, name := splitPath(d.path)
			if parent := x.nodeAt(dir); parent != nil && parent.children[name] != nil {
				old := parent.children[name]
				x.count(old, -1)
				delete(parent.children, name)
				note(d, old.entry)
			}
		}
	}
	for i := range deltas {
		if d := &deltas[i]; d.state.Kind != tree.Absent {
			note(d, x.set(d.path, d.entry))
		}
	}
	slices.SortFunc(between, tree.Compare)
	return between
}

// keptPaths returns the paths of the open calls of Keep, which has observed them:
// one that the index does not have was absent.
func (x *index) keptPaths() map[string]bool {
	paths := map[string]bool{}
	for _, c := range x.open {
		for _, path := range c.exact {
			paths[path] = true
		}
	}
	return paths
}

// set stores an entry and returns the previous one.
func (x *index) set(path string, e entry) entry {
	n := x.root
	for rest := path; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		child := n.children[name]
		if child == nil {
			child = &node{}
			if n.children == nil {
				n.children = map[string]*node{}
			}
			n.children[name] = child
		}
		n = child
	}
	old := n.entry
	x.count(n, -1)
	n.entry = e
	x.count(n, 1)
	return old
}

func (x *index) count(n *node, by int) {
	if n.hasBytes() && !n.state.Hashed {
		x.notKept[n.reason] += by
	}
}

func splitPath(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	return path[:max(i, 0)], path[i+1:]
}

// attribute adds a change to every open call whose scope contains the path. It
// returns false if there is none.
func (x *index) attribute(path string, before *entry) bool {
	var calls []*openCall
	disputed := false
	for _, c := range x.open {
		if c.covers(path) {
			calls = append(calls, c)
			disputed = disputed || c.Session != calls[0].Session
		}
	}
	for _, c := range calls {
		t := c.touched[path]
		if t == nil {
			t = &touch{before: before.state, reason: before.reason}
			for _, g := range c.gaps {
				if below(path, g.Path) {
					t.reason = NotScanned
				}
			}
			c.touched[path] = t
		}
		t.disputed = t.disputed || disputed
	}
	return len(calls) > 0
}

// kept reports whether the bytes of a state can be read back.
func (x *index) kept(s tree.State) bool {
	switch s.Kind {
	case tree.Absent, tree.Directory:
		return true
	case tree.File, tree.Symlink:
		_, stored := x.blobs[s.Sum]
		return s.Hashed && (stored || s.Sum == emptySum)
	case tree.Other, tree.Repository:
	}
	return false
}

// change describes a change. A reason that is not Kept is stated only if the
// bytes of one state are in fact missing.
func (x *index) change(path string, before, after tree.State, why Reason, c tree.Certainty) tree.Change {
	result := tree.Change{Path: path, Before: before, After: after, Certainty: c}
	result.Kept = why != NotScanned && x.kept(before) && x.kept(after)
	switch {
	case result.Kept:
	case before.Kind == tree.Other || after.Kind == tree.Other:
		result.Reason = Special.String()
	case before.Kind == tree.Repository || after.Kind == tree.Repository:
		result.Reason = Repository.String()
	default:
		result.Reason = cmp.Or(why, DiskFull).String()
	}
	return result
}
