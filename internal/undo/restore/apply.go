package restore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Apply records the plan and carries it out. It returns the outcome of each path,
// sorted by path. After an error or a canceled context, Resume continues; if the
// bytes could not be written, for example on a full disk, nothing was changed and
// the record is gone.
func (u *Undo) Apply(ctx context.Context) ([]Outcome, error) {
	dir := u.options.Dir
	if exists(dir, planFile) {
		return nil, fmt.Errorf("undo: %s has a plan already: resume it", dir)
	}
	if err := u.begin(); err != nil {
		return nil, fmt.Errorf("undo: nothing was changed: %w", err)
	}
	reach("planned")
	return Resume(ctx, u.options)
}

// HasPlan reports whether an undo has a plan, which Resume carries out.
func HasPlan(dir string) bool { return exists(dir, planFile) }

// begin selects the place of the trash and records the plan.
func (u *Undo) begin() error {
	dir := u.options.Dir
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	reach("directory made")
	root, err := openWorkspace(u.job.Root)
	if err != nil {
		return err
	}
	defer root.closeDir()
	outside, err := openFolder(dir)
	if err != nil {
		return err
	}
	u.job.Inside = !sameMount(outside, root)
	outside.closeDir()
	if err := probe(u.job, dir, root); err != nil {
		removeTrash(u.job, dir, root)
		return errors.Join(err, os.Remove(dir))
	}
	if err := write(dir, planFile, u.job); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(dir))
}

// probe returns ErrUnsupported if files in the trash cannot be exchanged.
func probe(j job, dir string, root *folder) error {
	trash, err := openTrash(j, dir, root)
	if err != nil {
		return err
	}
	defer trash.closeDir()
	names := []string{"probe.1", "probe.2"}
	for _, name := range names {
		if err := trash.WriteFile(name, nil, 0o600); err != nil {
			return err
		}
	}
	reach("probed")
	err = exchange(trash, names[0], trash, names[1])
	if err != nil && isUnsupported(err) {
		err = fmt.Errorf("%w (%s)", ErrUnsupported, j.Root)
	}
	for _, name := range names {
		err = errors.Join(err, trash.Remove(name))
	}
	return err
}

// Resume continues the undo in options.Dir where it was interrupted. An undo that is
// done is not done again: Resume returns its outcomes.
func Resume(ctx context.Context, options Options) ([]Outcome, error) {
	r := &run{dir: options.Dir, source: options.Source, held: map[int]held{}, outcome: map[int]Outcome{}, touched: map[string]bool{}}
	if err := read(r.dir, planFile, &r.job); errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoPlan
	} else if err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	if err := r.open(); err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	defer r.closeDirs()
	outcomes, err := r.work(ctx)
	if err != nil {
		return nil, fmt.Errorf("undo: %w", err)
	}
	return outcomes, nil
}

// run carries out the steps of a job.
type run struct {
	job     job
	dir     string
	source  Source
	root    *folder
	trash   *folder
	held    map[int]held // the files in the trash, by step
	outcome map[int]Outcome
	touched map[string]bool // directories to sync
	resumed bool            // an earlier run may have begun with the steps
}

func (r *run) open() (err error) {
	if r.root, err = openWorkspace(r.job.Root); err != nil {
		return err
	}
	info, err := r.root.Stat(".")
	if err == nil && identityOf(info).inode != r.job.Inode {
		err = fmt.Errorf("%s is not the directory of the plan", r.job.Root)
	}
	if err == nil {
		r.trash, err = openTrash(r.job, r.dir, r.root)
	}
	if err != nil {
		r.root.closeDir()
		return err
	}
	return nil
}

func (r *run) closeDirs() {
	r.trash.closeDir()
	r.root.closeDir()
}

// work completes the undo: each part that was done before does nothing.
func (r *run) work(ctx context.Context) ([]Outcome, error) {
	if !exists(r.dir, doneFile) {
		if err := r.list(); err != nil {
			return nil, err
		}
		if r.resumed = exists(r.dir, stagedFile); !r.resumed {
			if err := r.stageAll(ctx); err != nil {
				return nil, errors.Join(err, r.discard())
			}
		}
		if err := r.skipMissing(); err != nil {
			return nil, err
		}
		if err := r.steps(ctx); err != nil {
			return nil, err
		}
		if err := r.finish(); err != nil {
			return nil, err
		}
	}
	var end report
	if err := read(r.dir, doneFile, &end); err != nil {
		return nil, err
	}
	return end.Outcomes, r.clean()
}

// discard removes an undo whose files could not be staged: no path was touched.
func (r *run) discard() error {
	for i, h := range r.held {
		_ = r.trash.Remove(h.name(i))
	}
	removeTrash(r.job, r.dir, r.root)
	return os.RemoveAll(r.dir)
}

// finish looks at the displaced files again and records the outcomes.
func (r *run) finish() error {
	if err := r.lookAgain(); err != nil {
		return err
	}
	reach("looked again")
	for dir := range r.touched {
		if err := r.sync(dir); err != nil {
			return err
		}
	}
	if err := r.trash.fd.Sync(); err != nil {
		return err
	}
	reach("synced")
	end := report{Outcomes: r.job.Settled, Trash: map[string]tree.State{}}
	for i := range r.job.Steps {
		end.Outcomes = append(end.Outcomes, r.outcome[i])
		if h := r.held[i]; h.mark == out {
			end.Trash[h.name(i)] = r.expected(i)
		}
	}
	sorted(end.Outcomes)
	return write(r.dir, doneFile, end)
}

// expected returns the state of a displaced file that needs no report. A file that
// was written since the second look has another one.
func (r *run) expected(i int) tree.State {
	switch {
	case r.isOwn(i):
		return r.job.Steps[i].Before
	case r.outcome[i].Result == Late:
		found, _, _ := r.trash.state(r.held[i].name(i))
		return found
	default:
		return r.job.Steps[i].After
	}
}

// sync makes the names in a directory of the workspace durable. A directory that
// is gone needs none of it.
func (r *run) sync(dir string) error {
	parent, name, err := r.root.parent(dir)
	if err != nil {
		return nil //nolint:nilerr // removed since
	}
	defer parent.closeDir()
	sub := parent
	if name != "." {
		if sub, err = parent.sub(name); err != nil {
			return nil //nolint:nilerr // removed since
		}
		defer sub.closeDir()
	}
	return sub.fd.Sync()
}

// clean deletes the temporary files of an undo that is done.
func (r *run) clean() error {
	reach("done")
	if err := r.list(); err != nil {
		return err
	}
	for i, h := range r.held {
		if h.mark == drop {
			if err := r.trash.Remove(h.name(i)); err != nil {
				return err
			}
			reach("dropped")
		}
	}
	removeTrash(r.job, r.dir, r.root)
	return removeStrays(r.dir)
}
