package snapshot

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
)

// Left is what a process left that has died, or that closed its Workspace while
// calls were open.
type Left struct {
	Handle string // of its Workspace
	Open   []Call // End returns their changes as found
	Ended  []Call // they may not be reported
}

// Left returns what processes have left, by handle. The processes of their calls
// may still be running if isEnded returns false for the handle: such a handle is
// left out. isEnded is not asked for a process without a mark: an earlier version
// has removed it. Until Settle is called, every Workspace returns it again, in every
// process.
func (w *Workspace) Left(ctx context.Context, isEnded func(handle string) bool) ([]Left, error) {
	u, release, err := w.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	byHandle := map[string]*Left{}
	of := func(handle string) *Left {
		l, known := byHandle[handle]
		if !known && !w.isAlive(handle) {
			l = &Left{Handle: handle}
		}
		byHandle[handle] = l
		return l
	}
	for _, c := range u.index.open {
		if l := of(c.handle); l != nil {
			l.Open = append(l.Open, c.Call)
		}
	}
	marked := Handles(w.dir)
	for _, c := range u.index.ended {
		if !slices.Contains(marked, c.handle) {
			continue // it is settled
		}
		if l := of(c.handle); l != nil {
			l.Ended = append(l.Ended, c.Call)
		}
	}
	var all []Left
	for handle, l := range byHandle {
		if l == nil {
			continue
		}
		if slices.Contains(marked, handle) && !isEnded(handle) {
			continue
		}
		slices.SortFunc(l.Open, compareCalls)
		slices.SortFunc(l.Ended, compareCalls)
		all = append(all, *l)
	}
	slices.SortFunc(all, func(a, b Left) int { return strings.Compare(a.Handle, b.Handle) })
	return all, nil
}

// Handles returns the handles of which the storage in dir has a mark.
func Handles(dir string) []string {
	entries, _ := os.ReadDir(dir) // a directory that does not exist has no marks
	var all []string
	for _, e := range entries {
		if handle, is := strings.CutPrefix(e.Name(), AlivePrefix); is {
			all = append(all, handle)
		}
	}
	return all
}

func compareCalls(a, b Call) int { return strings.Compare(a.ID, b.ID) }

// Mark restores the mark of a process that Left has returned, if it is missing, so
// that Left returns its calls also after their ends.
func (w *Workspace) Mark(handle string) error {
	f, err := os.OpenFile(w.alivePath(handle), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// Settle removes the mark of a process that Left has returned: its calls have
// ended and are reported.
func (w *Workspace) Settle(ctx context.Context, handle string) error {
	u, release, err := w.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if u.index.isOpen(handle) || w.isAlive(handle) {
		return nil
	}
	if err := os.Remove(w.alivePath(handle)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// isOpen reports whether a call of a Workspace is open.
func (x *index) isOpen(handle string) bool {
	for _, c := range x.open {
		if c.handle == handle {
			return true
		}
	}
	return false
}

// mentions reports whether the index has a call of a Workspace.
func (x *index) mentions(handle string) bool {
	for _, c := range x.ended {
		if c.handle == handle {
			return true
		}
	}
	return x.isOpen(handle)
}
