package restore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Reversed returns the changes that a redo of the undo in dir must undo: its
// restored paths, with the states before and after exchanged.
func Reversed(dir string) ([]tree.Change, error) {
	var j job
	var end report
	if err := errors.Join(read(dir, planFile, &j), read(dir, doneFile, &end)); err != nil {
		return nil, fmt.Errorf("redo: %w", err)
	}
	restored := map[string]bool{}
	for _, o := range end.Outcomes {
		restored[o.Path] = o.Result == Restored
	}
	var changes []tree.Change
	for _, s := range j.Steps {
		if restored[s.Path] {
			changes = append(changes, tree.Change{Path: s.Path, Before: s.After, After: s.Before, Kept: true})
		}
	}
	return changes, nil
}

// Displaced is the source of the bytes that undos have moved to the trash, by the
// directories of the undos.
type Displaced []string

// Open implements Source. It does not check the sum: the reader does.
func (d Displaced) Open(sum tree.Sum) (io.ReadCloser, error) {
	for _, dir := range d {
		var j job
		if err := read(dir, planFile, &j); err != nil {
			continue
		}
		if r, err := openDisplaced(j, dir, sum); err == nil {
			return r, nil
		}
	}
	return nil, fmt.Errorf("bytes with sum %x: %w", sum[:8], fs.ErrNotExist)
}

// Sources is a source that opens the bytes in the first source that has them.
type Sources []Source

// Open implements Source.
func (s Sources) Open(sum tree.Sum) (io.ReadCloser, error) {
	var all error
	for _, source := range s {
		r, err := source.Open(sum)
		if err == nil {
			return r, nil
		}
		all = errors.Join(all, err)
	}
	return nil, all
}

func openDisplaced(j job, dir string, sum tree.Sum) (io.ReadCloser, error) {
	trash, err := openFolder(trashPath(j, dir))
	if err != nil {
		return nil, err
	}
	defer trash.closeDir()
	names, err := trash.fd.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		i, h, ok := parse(name)
		if !ok || h.mark != out || i >= len(j.Steps) || j.Steps[i].After.Sum != sum {
			continue
		}
		if found, _, err := trash.state(name); err != nil || found.Sum != sum {
			continue
		}
		if j.Steps[i].After.Kind == tree.Symlink {
			target, err := trash.Readlink(name)
			return io.NopCloser(strings.NewReader(target)), err
		}
		return trash.Open(name)
	}
	return nil, fs.ErrNotExist
}

// Collect deletes what an undo that is done has displaced, and its record. It first
// reads each file again. A file that was written since the last look is not
// deleted: Collect returns it as Late, and the next Collect deletes it if it has not
// changed by then.
func Collect(options Options) ([]Outcome, error) {
	r := &run{dir: options.Dir, held: map[int]held{}, outcome: map[int]Outcome{}}
	var end report
	if err := errors.Join(read(r.dir, planFile, &r.job), read(r.dir, doneFile, &end)); err != nil {
		return nil, fmt.Errorf("collect an undo: %w", err)
	}
	if err := r.open(); err != nil {
		return nil, fmt.Errorf("collect an undo: %w", err)
	}
	defer r.closeDirs()
	late, err := r.collect(&end)
	if err != nil {
		return late, fmt.Errorf("collect an undo: %w", err)
	}
	if len(late) > 0 {
		return late, write(r.dir, doneFile, end)
	}
	removeTrash(r.job, r.dir, r.root)
	return nil, os.RemoveAll(r.dir)
}

// collect deletes the files that have not changed and returns the others.
func (r *run) collect(end *report) ([]Outcome, error) {
	if err := r.list(); err != nil {
		return nil, err
	}
	var late []Outcome
	for i, h := range r.held {
		name := h.name(i)
		found, _, err := r.trash.state(name)
		if err != nil {
			return late, err
		}
		if before, known := end.Trash[name]; known && !found.Equal(before) {
			end.Trash[name] = found
			r.conclude(i, Late, "a program wrote to the file after the undo; what it wrote is in the trash")
			late = append(late, r.outcome[i])
			continue
		}
		if err := r.trash.Remove(name); err != nil {
			return late, err
		}
	}
	return sorted(late), nil
}
