package snapshot

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/ignore"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// Scope is the part of the workspace that a scan visits.
type Scope uint8

// The scopes of a scan.
const (
	KeptPart Scope = iota // without the directories whose bytes are not kept
	Whole
)

// scan compares the workspace with the index. It changes neither. The goroutines
// of a scan share the fields below mu.
type scan struct {
	files    *files
	index    *index
	limits   Limits
	scope    Scope
	rules    *ruleCache
	deadline time.Time
	progress *progress

	mu    sync.Mutex
	more  *sync.Cond
	stack []task
	busy  int

	deltas     []delta
	candidates []candidate
	gaps       []Gap
	units      []*unit
}

// task is a directory to visit.
type task struct {
	path string
	entry
	old      *node // nil if the directory is new
	baseline bool  // the directory was never listed, or a directory above it
	bulk     bool  // bytes below are not kept
	unit     *unit
	chain    *ignore.Chain
}

// candidate is a file or symbolic link that may have changed.
type candidate struct {
	path string
	entry
	old      *node
	baseline bool
	bulk     bool
	unit     *unit
}

// walker is the memory of one goroutine of a scan.
type walker struct {
	*scan
	buffer     buffer
	names      []string
	entries    []entry
	deltas     []delta
	candidates []candidate
	gaps       []Gap
}

// walk visits all directories of the scope in parallel. When it returns nil,
// each directory was visited or is in gaps.
func (s *scan) walk(ctx context.Context) error {
	s.more = sync.NewCond(&s.mu)
	s.stack = []task{{entry: s.index.root.entry, old: s.index.root}}
	var wg sync.WaitGroup
	for range s.limits.Workers {
		wg.Go(func() {
			w := &walker{scan: s}
			for w.step(ctx) {
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.deltas = append(s.deltas, w.deltas...)
			s.candidates = append(s.candidates, w.candidates...)
			s.gaps = append(s.gaps, w.gaps...)
		})
	}
	wg.Wait()
	return ctx.Err()
}

// step visits one directory. It returns false when none is left.
func (w *walker) step(ctx context.Context) bool {
	w.mu.Lock()
	for len(w.stack) == 0 && w.busy > 0 {
		w.more.Wait()
	}
	if len(w.stack) == 0 || ctx.Err() != nil {
		w.stack = nil
		w.mu.Unlock()
		w.more.Broadcast()
		return false
	}
	t := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	w.busy++
	w.mu.Unlock()

	at("scan")
	tasks := w.visit(&t)

	w.mu.Lock()
	w.stack = append(w.stack, tasks...)
	w.busy--
	w.mu.Unlock()
	w.more.Broadcast()
	return true
}

// visit compares a directory with the index and returns the directories in it.
func (w *walker) visit(t *task) []task {
	if time.Now().After(w.deadline) {
		w.skip(t, TimeBudget)
		return nil
	}
	w.names, w.entries = w.names[:0], w.entries[:0]
	repository, ignoreFile, tag := -1, -1, false
	nested := false
	err := w.files.list(t.path, &w.buffer, func(name string, e entry) {
		switch {
		case isGit(name):
			if nested = true; e.state.Kind == tree.Directory {
				repository = len(w.entries)
			}
		case t.path == "" && name == tree.TrashName: // files that an undo has displaced
			return
		case name == ".gitignore" && e.state.Kind == tree.File:
			ignoreFile = len(w.entries)
		case name == "CACHEDIR.TAG":
			tag = true
		}
		w.names, w.entries = append(w.names, name), append(w.entries, e)
	})
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) { // otherwise the next scan finds that it is gone
			w.skip(t, Unreadable)
		}
		return nil
	}
	if tag && t.path != "" && !t.bulk && w.isCache(t.path) {
		if t.bulk = true; w.scope == KeptPart {
			w.skip(t, Bulk)
			return nil
		}
	}
	if repository >= 0 {
		w.entries[repository].state = w.files.repository(join(t.path, w.names[repository]), &w.buffer)
	}
	if nested {
		t.chain = nil // the rules of a repository end at a repository inside it
	}
	if ignoreFile >= 0 && t.unit == nil {
		t.chain = t.chain.With(t.path, w.rules.read(w.files, join(t.path, ".gitignore"), w.entries[ignoreFile]))
	}
	w.progress.files.Add(int64(len(w.entries)))
	return w.compare(t)
}

// compare compares the entries of a directory with the index.
func (w *walker) compare(t *task) []task {
	baseline := t.baseline
	var known map[string]*node
	if t.old != nil {
		known = t.old.children
		baseline = baseline || t.old.unlisted
	}
	w.directory(t, false)
	var tasks []task
	seen := 0
	for i, name := range w.names {
		e := &w.entries[i]
		old := known[name]
		if old != nil {
			seen++
		}
		unobserved := baseline && old == nil // Keep may have observed it before the first scan
		if e.state.Kind == tree.Repository {
			if old == nil || !old.state.Equal(e.state) {
				w.deltas = append(w.deltas, delta{join(t.path, name), *e, unobserved})
			}
			continue
		}
		if e.state.Kind == tree.Directory {
			child := task{path: join(t.path, name), entry: *e, old: old, baseline: unobserved, bulk: t.bulk, unit: t.unit, chain: t.chain}
			if w.classify(&child, name) {
				tasks = append(tasks, child)
			}
			continue
		}
		if t.unit != nil {
			t.unit.files.Add(1)
			t.unit.bytes.Add(e.state.Size)
		}
		if old != nil && old.sameStat(e) && !old.racy && (old.state.Hashed || !e.hasBytes() || t.bulk && old.reason == Bulk || e.state.Size > w.limits.File && old.reason == TooLarge) {
			continue
		}
		path := join(t.path, name)
		if old != nil && old.state.Kind == tree.Directory {
			w.removed(path, old)
		}
		w.candidates = append(w.candidates, candidate{path, *e, old, unobserved, t.bulk, t.unit})
	}
	if seen < len(known) {
		w.missing(t.path, known)
	}
	return tasks
}

// directory adds an observation of the directory itself, if it has changed.
func (w *walker) directory(t *task, unlisted bool) {
	e := t.entry
	e.unlisted = unlisted
	if t.old != nil {
		e.bulk = t.old.bulk
		if t.old.state.Kind == tree.Directory && t.old.state.Mode == e.state.Mode && t.old.unlisted == unlisted {
			return
		}
	}
	w.deltas = append(w.deltas, delta{t.path, e, t.baseline})
}

// skip leaves a directory out of the scan. What the index has of it stays.
func (w *walker) skip(t *task, why Reason) {
	unlisted := t.old == nil || t.old.unlisted || t.old.state.Kind != tree.Directory
	w.directory(t, unlisted)
	if unlisted || why != Bulk {
		w.gaps = append(w.gaps, Gap{t.path, why})
	}
}

// missing adds the removal of paths that are no longer in the directory.
func (w *walker) missing(dir string, known map[string]*node) {
	present := make(map[string]bool, len(w.names))
	for _, name := range w.names {
		present[name] = true
	}
	for name, old := range known {
		if !present[name] {
			path := join(dir, name)
			w.deltas = append(w.deltas, delta{path: path})
			w.removed(path, old)
		}
	}
}

// removed adds the removal of everything below a path.
func (w *walker) removed(path string, old *node) {
	for p := range old.all(path) {
		w.deltas = append(w.deltas, delta{path: p})
	}
}

// isGit reports whether a name belongs to git: the directory of a repository, of
// which no bytes are kept, or the file that a worktree or submodule has in its place,
// which is a file like others.
func isGit(name string) bool {
	if runtime.GOOS == "linux" {
		return name == ".git"
	}
	return strings.EqualFold(name, ".git")
}
