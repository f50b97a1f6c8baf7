package restore

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// temporaryMode is the mode of a new directory until its entries are in place.
const temporaryMode fs.FileMode = 0o700

// steps changes the paths: directories become writable first, then what the turn
// has created goes, entries before their directory. Then the rest comes back, in the
// opposite order.
func (r *run) steps(ctx context.Context) error {
	first := slices.Collect(r.each)
	last := slices.Clone(first)
	slices.Reverse(last)
	for _, phase := range []struct {
		steps []int
		do    func(int, step) error
	}{
		{first, r.openDirectory},
		{last, r.removeCreated},
		{first, r.create},
		{last, r.closeDirectory},
	} {
		for _, i := range phase.steps {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if _, settled := r.outcome[i]; settled {
				continue
			}
			if err := phase.do(i, r.job.Steps[i]); err != nil {
				return fmt.Errorf("%q: %w", r.job.Steps[i].Path, err)
			}
		}
	}
	return nil
}

func (r *run) each(yield func(int) bool) {
	for i := range r.job.Steps {
		if !yield(i) {
			return
		}
	}
}

func (r *run) conclude(i int, result Result, reason string) {
	s := r.job.Steps[i]
	o := Outcome{Path: s.Path, Result: result, Removed: result == Restored && s.Before.Kind == tree.Absent, Reason: reason}
	if result == Restored {
		o.OtherLinks = s.OtherLinks
	}
	if result == Late {
		o.Trash = path.Join(trashPath(r.job, r.dir), r.held[i].name(i))
	}
	r.outcome[i] = o
}

// in calls do with the open directory of the step's path.
func (r *run) in(i int, do func(dir *folder, name string) error) error {
	dir, name, err := r.root.parent(r.job.Steps[i].Path)
	switch {
	case isMissing(err):
		return r.unreachable(i, noDirectory)
	case isForbidden(err):
		return r.unreachable(i, notAllowed(err))
	case err != nil:
		return err
	}
	defer dir.closeDir()
	r.touched[path.Dir(r.job.Steps[i].Path)] = true
	switch err := do(dir, name); {
	case isMissing(err):
		return r.unreachable(i, "it was removed since")
	case isOtherMount(err):
		return r.unreachable(i, "it is in another file system than the workspace")
	case isForbidden(err):
		return r.unreachable(i, notAllowed(err))
	default:
		return err
	}
}

// unreachable settles a step whose path does not exist or cannot be changed.
func (r *run) unreachable(i int, reason string) error {
	s := r.job.Steps[i]
	if h, held := r.held[i]; held && h.mark != drop && !r.isOwn(i) {
		found, _, err := r.trash.state(h.name(i))
		if err != nil {
			return err
		}
		if !found.Equal(s.After) {
			return r.late(i)
		}
		if err := r.mark(i, out); err != nil {
			return err
		}
	}
	if s.Before.Kind == tree.Absent && reason == noDirectory {
		r.conclude(i, Restored, "") // an earlier run has removed the directory, too
		return nil
	}
	return r.refuse(i, reason)
}

// openDirectory sets the mode of a directory that becomes writable.
func (r *run) openDirectory(i int, s step) error {
	if s.Before.Kind == tree.Directory && s.After.Kind == tree.Directory && s.Before.Mode&0o200 != 0 {
		return r.setMode(i, s, s.After.Mode)
	}
	return nil
}

// closeDirectory sets the mode of the other directories when their entries are in
// place.
func (r *run) closeDirectory(i int, s step) error {
	switch {
	case s.Before.Kind != tree.Directory:
		return fmt.Errorf("step %d has no outcome", i) // unreachable
	case s.After.Kind == tree.Directory:
		return r.setMode(i, s, s.After.Mode)
	default:
		// A directory in a directory with the setgid bit has it from its creation.
		return r.setMode(i, s, temporaryMode, temporaryMode|fs.ModeSetgid)
	}
}

// setMode changes the mode of a directory, if it has an expected one.
func (r *run) setMode(i int, s step, expected ...fs.FileMode) error {
	return r.in(i, func(dir *folder, name string) error {
		sub, err := dir.sub(name)
		if err != nil {
			return err
		}
		defer sub.closeDir()
		info, err := sub.fd.Stat()
		if err != nil {
			return err
		}
		if mode := bits(info.Mode()); mode != s.Before.Mode {
			if !slices.Contains(expected, mode) {
				r.conclude(i, Conflict, "its permissions were changed since")
				return nil
			}
			if err := sub.fd.Chmod(s.Before.Mode); err != nil {
				return err
			}
			reach("mode set")
		}
		r.conclude(i, Restored, "")
		return nil
	})
}

// removeCreated takes away what the turn has created where nothing or something of another
// kind was.
func (r *run) removeCreated(i int, s step) error {
	switch {
	case s.After.Kind == tree.Directory && s.Before.Kind != tree.Directory:
		return r.in(i, func(dir *folder, name string) error { return r.removeDirectory(i, s, dir, name) })
	case s.After.Kind != tree.Absent && s.After.Kind != tree.Directory && !hasBytes(s.Before):
		return r.in(i, func(dir *folder, name string) error { return r.take(i, s, dir, name) })
	default:
		return nil
	}
}

// removeDirectory removes a directory of the turn, if it is empty.
func (r *run) removeDirectory(i int, s step, dir *folder, name string) error {
	now, _, err := dir.state(name)
	switch {
	case err != nil:
		return err
	case now.Equal(s.After):
		// Remove on a directory that was replaced by a file would delete the file.
		if err := removeEmpty(dir, name); isTaken(err) {
			return r.refuse(i, notEmpty)
		} else if err != nil {
			return err
		}
		reach("directory removed")
	case now.Kind == tree.Absent || now.Equal(s.Before):
	default:
		return r.refuse(i, difference(now, s.After))
	}
	if s.Before.Kind == tree.Absent {
		r.conclude(i, Restored, "")
	}
	return nil
}

// refuse settles a conflict. A staged file is not needed anymore.
func (r *run) refuse(i int, reason string) error {
	r.conclude(i, Conflict, reason)
	return r.shelve(i)
}

// create puts back what was at the path before the turn.
func (r *run) create(i int, s step) error {
	return r.in(i, func(dir *folder, name string) error {
		switch {
		case s.Before.Kind == tree.Directory && s.After.Kind != tree.Directory:
			return r.makeDirectory(i, dir, name)
		case !hasBytes(s.Before):
			return nil
		case s.After.Kind == tree.Absent || s.After.Kind == tree.Directory:
			return r.putStaged(i, s, dir, name)
		default:
			return r.replace(i, s, dir, name)
		}
	})
}

func (r *run) makeDirectory(i int, dir *folder, name string) error {
	err := dir.Mkdir(name, temporaryMode)
	reach("directory created")
	if isTaken(err) {
		if now, _, err := dir.state(name); err != nil || now.Kind != tree.Directory {
			return r.refuse(i, "it was created again since")
		}
		return nil // by an earlier run; closeDirectory compares the mode
	}
	return err
}
