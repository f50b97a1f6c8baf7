package restore

import (
	"errors"
	"io/fs"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

const meanwhile = "it was changed during the undo"

// take moves a file that the turn has created to the trash.
func (r *run) take(i int, s step, dir *folder, name string) error {
	if _, moved := r.held[i]; !moved {
		now, _, err := dir.state(name)
		switch {
		case err != nil:
			return err
		case now.Kind == tree.Absent || now.Equal(s.Before):
			return r.taken(i, s)
		case !now.Equal(s.After):
			return r.refuse(i, difference(now, s.After))
		}
		reach("compared")
		if err := move(dir, name, r.trash, held{}.name(i)); errors.Is(err, fs.ErrNotExist) {
			return r.taken(i, s)
		} else if err != nil {
			return err
		}
		r.held[i] = held{}
		reach("taken")
	}
	return r.judgeTaken(i, s, dir, name)
}

// taken settles a path that is empty now, unless a directory follows.
func (r *run) taken(i int, s step) error {
	if s.Before.Kind == tree.Absent {
		r.conclude(i, Restored, "")
	}
	return nil
}

// judgeTaken reads the file that was moved away. If it is not the file of the turn,
// it goes back.
func (r *run) judgeTaken(i int, s step, dir *folder, name string) error {
	found, _, err := r.trash.state(r.held[i].name(i))
	if err != nil {
		return err
	}
	if found.Equal(s.After) {
		if err := r.mark(i, out); err != nil {
			return err
		}
		return r.taken(i, s)
	}
	err = move(r.trash, r.held[i].name(i), dir, name)
	if isTaken(err) {
		return r.late(i)
	}
	if err != nil {
		return err
	}
	delete(r.held, i)
	reach("moved back")
	r.conclude(i, Conflict, meanwhile)
	return nil
}

// late settles a path whose displaced file has bytes of another program that are at
// no path.
func (r *run) late(i int) error {
	if err := r.mark(i, out); err != nil {
		return err
	}
	r.conclude(i, Late, "a program wrote to the file during the undo; what it wrote is in the trash")
	return nil
}

// putStaged moves the staged file to a path where nothing is.
func (r *run) putStaged(i int, s step, dir *folder, name string) error {
	h, staged := r.held[i]
	if !staged { // an earlier run moved it
		r.conclude(i, Restored, "")
		return nil
	}
	now, _, err := dir.state(name)
	switch {
	case err != nil:
		return err
	case now.Equal(s.Before) || h.mark == drop || now.Kind != tree.Absent:
		return r.unused(i, now)
	}
	reach("compared")
	if err := move(r.trash, h.name(i), dir, name); isTaken(err) {
		return r.refuse(i, meanwhile)
	} else if err != nil {
		return err
	}
	delete(r.held, i)
	reach("put")
	r.conclude(i, Restored, "")
	return nil
}

// unused settles a path that has its earlier state already, or another one than
// the turn's. The staged file is in the trash and stays there.
func (r *run) unused(i int, now tree.State) error {
	s := r.job.Steps[i]
	switch {
	case now.Equal(s.Before):
		r.conclude(i, Restored, "")
	case now.Equal(s.After): // after a conflict in an earlier run
		r.conclude(i, Conflict, meanwhile)
	default:
		r.conclude(i, Conflict, difference(now, s.After))
	}
	return r.shelve(i)
}

// shelve marks a staged file that is not needed. If an earlier run may have
// exchanged it with the path and back, a program can have it open: it is not deleted.
func (r *run) shelve(i int) error {
	h, staged := r.held[i]
	if !staged || h.mark != "" {
		return nil
	}
	if r.resumed && hasBytes(r.job.Steps[i].After) {
		return r.mark(i, out)
	}
	return r.mark(i, drop)
}

// replace exchanges the staged file with the file of the turn.
func (r *run) replace(i int, s step, dir *folder, name string) error {
	h, staged := r.held[i]
	if !staged {
		r.conclude(i, NotKept, "its bytes were removed from the trash")
		return nil
	}
	if r.isOwn(i) {
		now, _, err := dir.state(name)
		if err != nil {
			return err
		}
		if h.mark != "" || !now.Equal(s.After) {
			return r.unused(i, now)
		}
		reach("compared")
		if err := exchange(r.trash, h.name(i), dir, name); errors.Is(err, fs.ErrNotExist) {
			return r.refuse(i, meanwhile)
		} else if err != nil {
			return err
		}
		reach("exchanged")
	}
	return r.judgeReplaced(i, s, dir, name)
}

// isOwn reports whether the file of a step in the trash is the staged one.
func (r *run) isOwn(i int) bool {
	h := r.held[i]
	info, err := r.trash.Lstat(h.name(i))
	return err == nil && h.own != 0 && identityOf(info).inode == h.own
}

// judgeReplaced reads the file that was exchanged for the staged one. If it is not
// the file of the turn, it goes back.
func (r *run) judgeReplaced(i int, s step, dir *folder, name string) error {
	found, _, err := r.trash.state(r.held[i].name(i))
	if err != nil {
		return err
	}
	if !found.Equal(s.After) {
		return r.putBack(i, s, dir, name)
	}
	if err := r.mark(i, out); err != nil {
		return err
	}
	r.conclude(i, Restored, "")
	return nil
}

// version is one state of one file.
type version struct {
	inode uint64
	state tree.State
}

func (v version) is(other version) bool { return v.inode == other.inode && v.state.Equal(other.state) }

func look(f *folder, name string) (version, error) {
	s, id, err := f.state(name)
	return version{id.inode, s}, err
}

// putBack exchanges a displaced file of another program with the staged file at the
// path. If the path has something newer by then, that stays at the path.
func (r *run) putBack(i int, s step, dir *folder, name string) error {
	held := r.held[i].name(i)
	own := version{r.held[i].own, s.Before}
	at, err := look(dir, name)
	if err != nil {
		return err
	}
	if !at.is(own) {
		return r.late(i)
	}
	last := own                      // what the last exchange placed at the path
	next, err := look(r.trash, held) // what the next exchange places there
	if err != nil {
		return err
	}
	for range 100 { // ends at the first exchange, unless a program writes at this moment again
		reach("putting back")
		if err := exchange(r.trash, held, dir, name); errors.Is(err, fs.ErrNotExist) {
			return r.late(i)
		} else if err != nil {
			return err
		}
		reach("put back")
		found, err := look(r.trash, held) // it was at the path until now
		switch {
		case err != nil:
			return err
		case found.is(own):
			r.conclude(i, Conflict, meanwhile)
			return r.mark(i, out)
		case found.is(last): // the newest is at the path
			return r.late(i)
		}
		last, next = next, found
	}
	return r.late(i)
}

// lookAgain reads all displaced files a second time. One with other bytes than
// before was written by a program that had it open.
func (r *run) lookAgain() error {
	for i, s := range r.job.Steps {
		if r.held[i].mark != out || r.outcome[i].Result != Restored || r.isOwn(i) {
			continue
		}
		found, _, err := r.trash.state(r.held[i].name(i))
		if err != nil {
			return err
		}
		if found.Equal(s.After) {
			continue
		}
		reach("late write found")
		judge := r.judgeReplaced
		if r.held[i].own == 0 {
			judge = r.judgeTaken
		}
		if err := r.in(i, func(dir *folder, name string) error { return judge(i, s, dir, name) }); err != nil {
			return err
		}
	}
	return nil
}
