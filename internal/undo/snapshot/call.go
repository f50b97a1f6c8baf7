package snapshot

import (
	"cmp"
	"slices"
	"time"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Call identifies a tool call. The texts are chosen by the caller; the snapshot
// only compares them.
type Call struct {
	ID      string // unique in the workspace
	Turn    string // calls of one turn are removed together
	Session string // changes that calls of several sessions can have made are disputed
	// Loose lists changes since the previous scan, which no call made, with the
	// changes of this call: background processes of the session are running.
	Loose bool
	// Outside names directories outside the workspace that the call can change.
	// They are gaps of its result.
	Outside []string
}

// outside returns the gaps of a call that are not part of the workspace.
func (c Call) outside() []Gap {
	var gaps []Gap
	for _, dir := range c.Outside {
		gaps = append(gaps, Gap{dir, Outside})
	}
	return gaps
}

// Gap is a directory that was not scanned. Changes in it are unknown.
type Gap struct {
	Path   string // relative to the workspace; empty for all of it; absolute outside of it
	Reason Reason
}

// Result describes what happened to the workspace between Begin and End of a
// call.
type Result struct {
	Changes []tree.Change // sorted by path
	// Gaps lists directories that were not scanned before or after the call.
	Gaps []Gap
}

// openCall is a call between Begin and End.
type openCall struct {
	Call
	handle  string // of the Workspace that opened the call
	at      time.Time
	exact   []string
	gaps    []Gap
	loose   []tree.Change
	touched map[string]*touch
}

// touch is a path that changed while a call was open.
type touch struct {
	before   tree.State
	reason   Reason // why the bytes of before are not kept
	disputed bool
}

// endedCall is a call after End.
type endedCall struct {
	Call
	handle string // as in openCall; empty if an earlier version has written it
	at     time.Time
	result Result
}

// covers reports whether changes of the path belong to the call.
func (c *openCall) covers(path string) bool {
	return c.exact == nil || slices.Contains(c.exact, path)
}

// result returns the changes of an open call. found is true if the process that
// opened it has died; claimed reports which paths other sessions can have changed.
func (x *index) result(c *openCall, found bool, claimed func(path string) bool, gaps []Gap) Result {
	certainty := tree.During
	switch {
	case found:
		certainty = tree.Found
	case c.exact != nil:
		certainty = tree.Own
	}
	var r Result
	for path, t := range c.touched {
		after, why := tree.State{}, Kept
		if n := x.nodeAt(path); n != nil {
			after, why = n.state, n.reason
		}
		if t.before.Equal(after) {
			continue
		}
		if isUsable(t.before, after) {
			gaps = append(gaps, Gap{path, Moved})
			continue
		}
		as := certainty
		if t.disputed || claimed(path) {
			as = tree.Disputed
		}
		r.Changes = append(r.Changes, x.change(path, t.before, after, cmp.Or(t.reason, why), as))
	}
	for _, l := range c.loose {
		if c.touched[l.Path] == nil {
			r.Changes = append(r.Changes, l)
		}
	}
	slices.SortFunc(r.Changes, tree.Compare)
	r.Gaps = append(slices.Clone(c.gaps), gaps...)
	slices.SortFunc(r.Gaps, func(a, b Gap) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Reason, b.Reason)) })
	r.Gaps = slices.Compact(r.Gaps)
	return r
}
