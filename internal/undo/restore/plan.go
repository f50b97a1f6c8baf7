package restore

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Undo is a planned undo.
type Undo struct {
	job     job
	options Options
}

// job is an undo as it is recorded on disk.
type job struct {
	Root    string
	Inode   uint64 // of the root
	Inside  bool   // the trash is inside the workspace
	Steps   []step // by path
	Settled []Outcome
}

// step is a path that changes.
type step struct {
	Path          string
	Before, After tree.State
	OtherLinks    int    // that no other step replaces
	inode         uint64 // of a file with other links; only while the undo is planned
}

// Plan compares the workspace with the changes of turns, the newest first, and
// decides what an undo does with each path. It changes nothing.
func Plan(root string, turns [][]tree.Change, options Options) (*Undo, error) {
	workspace, err := openWorkspace(root)
	if err != nil {
		return nil, fmt.Errorf("plan an undo: %w", err)
	}
	defer workspace.closeDir()
	info, err := workspace.Stat(".")
	if err != nil {
		return nil, fmt.Errorf("plan an undo: %w", err)
	}
	p := planner{root: workspace, source: options.Source, device: identityOf(info).device, steps: map[string]step{}, settled: map[string]Outcome{}}
	changes := choose(fold(turns), options.Paths)
	for _, c := range changes {
		p.compare(c)
	}
	for _, c := range changes {
		p.checkWritable(c.Path)
	}
	for _, c := range slices.Backward(changes) { // entries before their directory
		p.checkEmpty(c.Path)
	}
	for _, c := range changes { // directories before their entries
		p.checkParent(c.Path)
	}
	p.subtractLinks()
	u := &Undo{job: job{Root: root, Inode: identityOf(info).inode}, options: options}
	for _, c := range changes {
		if s, planned := p.steps[c.Path]; planned {
			u.job.Steps = append(u.job.Steps, s)
		} else if !c.implied {
			u.job.Settled = append(u.job.Settled, p.settled[c.Path])
		}
	}
	return u, nil
}

// Preview lists what Apply would do if nothing changes until then, sorted by path.
func (u *Undo) Preview() []Outcome {
	all := slices.Clone(u.job.Settled)
	for _, s := range u.job.Steps {
		all = append(all, Outcome{Path: s.Path, Result: Restored, Removed: s.Before.Kind == tree.Absent, OtherLinks: s.OtherLinks})
	}
	return sorted(all)
}

func sorted(all []Outcome) []Outcome {
	slices.SortFunc(all, func(a, b Outcome) int { return strings.Compare(a.Path, b.Path) })
	return all
}

type planner struct {
	root    *folder
	device  uint64
	source  Source
	steps   map[string]step
	settled map[string]Outcome
}

func (p *planner) conclude(path string, result Result, reason string) {
	delete(p.steps, path)
	p.settled[path] = Outcome{Path: path, Result: result, Reason: reason}
}

// compare plans a step for a change, or settles it.
func (p *planner) compare(c folded) {
	if c.Before.Kind == tree.Repository || c.After.Kind == tree.Repository {
		p.conclude(c.Path, NotKept, "it is a git repository, which is not kept")
		return
	}
	if reason := forbidden(c.Change); reason != "" {
		p.conclude(c.Path, Conflict, reason)
		return
	}
	now, id, err := p.stateOf(c.Path)
	switch {
	case err != nil:
		p.conclude(c.Path, Conflict, "it cannot be read: "+err.Error())
	case now.Equal(c.Before):
		p.conclude(c.Path, Already, "")
	case !isRead(c.After):
		p.conclude(c.Path, NotKept, "its bytes after the turn were not read")
	case c.Before.Kind == tree.Directory && c.After.Kind != tree.Directory && !c.Kept:
		p.conclude(c.Path, NotKept, "what was in it is not kept: "+c.Reason)
	case !p.has(c.Before):
		p.conclude(c.Path, NotKept, "its earlier bytes are not kept")
	case c.gap:
		p.conclude(c.Path, Conflict, "something else changed it between two calls or turns")
	case !now.Equal(c.After):
		p.conclude(c.Path, Conflict, difference(now, c.After))
	case id.device != 0 && id.device != p.device:
		p.conclude(c.Path, Conflict, "it is in another file system than the workspace")
	default:
		s := step{Path: c.Path, Before: c.Before, After: c.After}
		if now.Kind == tree.File && id.links > 1 {
			s.OtherLinks, s.inode = int(id.links-1), id.inode
		}
		p.steps[c.Path] = s
	}
}

// subtractLinks leaves out the links that are paths of the undo, too.
func (p *planner) subtractLinks() {
	planned := map[uint64]int{}
	for _, s := range p.steps {
		planned[s.inode]++
	}
	for path, s := range p.steps {
		if s.inode != 0 {
			s.OtherLinks -= planned[s.inode] - 1
			p.steps[path] = s
		}
	}
}

// forbidden returns the reason why a path is never changed, or "". The file .git of a
// worktree or a submodule is a file like others.
func forbidden(c tree.Change) string {
	name, isFile := c.Path, c.Before.Kind != tree.Directory && c.After.Kind != tree.Directory
	parts := strings.Split(name, "/")
	for i, part := range parts {
		switch {
		case part == "" || part == "." || part == ".." || strings.ContainsRune(part, 0):
			return "it is not a path inside the workspace"
		case strings.EqualFold(part, ".git") && (i < len(parts)-1 || !isFile):
			return "it belongs to a git repository, which is never changed"
		}
	}
	if name == tree.TrashName || isBelow(name, tree.TrashName) {
		return "it belongs to the trash of an earlier undo"
	}
	return ""
}

func isRead(s tree.State) bool { return s.Hashed || !hasBytes(s) }

// hasBytes reports whether a state consists of bytes: a file or a symbolic link.
func hasBytes(s tree.State) bool { return s.Kind == tree.File || s.Kind == tree.Symlink }

// has reports whether a state can be created.
func (p *planner) has(s tree.State) bool {
	if !hasBytes(s) {
		return s.Kind == tree.Absent || s.Kind == tree.Directory
	}
	if !s.Hashed {
		return false
	}
	r, err := p.source.Open(s.Sum)
	if err != nil {
		return false
	}
	_ = r.Close()
	return true
}

// stateOf returns the state of a path. A path below something that is not a
// directory is absent.
func (p *planner) stateOf(path string) (tree.State, identity, error) {
	dir, name, err := p.root.parent(path)
	if isMissing(err) {
		return tree.State{}, identity{}, nil
	}
	if err != nil {
		return tree.State{}, identity{}, err
	}
	defer dir.closeDir()
	return dir.state(name)
}

// difference describes a state that is not the one after the turn.
func difference(now, after tree.State) string {
	switch {
	case now.Kind == tree.Absent:
		return "it was removed since"
	case after.Kind == tree.Absent:
		return "it was created again since"
	case now.Kind != after.Kind:
		return fmt.Sprintf("it is a %s now", now.Kind)
	case hasBytes(now) && !now.Hashed:
		return "it cannot be read"
	case hasBytes(now) && now.Sum != after.Sum:
		return "it was changed since"
	default:
		return "its permissions were changed since"
	}
}

// checkEmpty settles the removal of a directory that would not be empty. The steps
// of its entries are planned.
func (p *planner) checkEmpty(dir string) {
	s, planned := p.steps[dir]
	if !planned || s.After.Kind != tree.Directory || s.Before.Kind == tree.Directory {
		return
	}
	parent, name, err := p.root.parent(dir)
	if err != nil {
		p.conclude(dir, Conflict, "it cannot be read: "+err.Error())
		return
	}
	defer parent.closeDir()
	names, err := parent.list(name)
	if err != nil {
		p.conclude(dir, Conflict, "it cannot be read: "+err.Error())
		return
	}
	for _, name := range names {
		if entry, planned := p.steps[dir+"/"+name]; !planned || entry.Before.Kind != tree.Absent {
			p.conclude(dir, Conflict, notEmpty)
			return
		}
	}
}

// checkWritable settles a step in a directory in which this process may not change
// names. A directory whose mode the undo sets is writable by then.
func (p *planner) checkWritable(name string) {
	s, planned := p.steps[name]
	if !planned || s.Before.Kind == tree.Directory && s.After.Kind == tree.Directory {
		return
	}
	if above, planned := p.steps[path.Dir(name)]; planned && above.Before.Kind == tree.Directory {
		return
	}
	dir, _, err := p.root.parent(name)
	if isMissing(err) {
		return // another step or checkParent decides
	}
	if err == nil {
		err = mayWrite(dir)
		dir.closeDir()
	}
	if isForbidden(err) {
		p.conclude(name, Conflict, notAllowed(err))
	}
}

const notEmpty = "the directory is not empty"

// checkParent settles a step that creates something where no directory will be.
func (p *planner) checkParent(name string) {
	s, planned := p.steps[name]
	dir := path.Dir(name)
	if !planned || s.Before.Kind == tree.Absent || dir == "." {
		return
	}
	if above, planned := p.steps[dir]; planned {
		if above.Before.Kind != tree.Directory {
			p.conclude(name, Conflict, noDirectory)
		}
		return
	}
	if now, _, err := p.stateOf(dir); err != nil || now.Kind != tree.Directory {
		p.conclude(name, Conflict, noDirectory)
	}
}

const noDirectory = "its directory does not exist"
