// Package search walks through directories as git sees them, and finds files by
// name and text.
package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/ignore"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// MostFound is the maximum number of names that list_dir and glob return.
const MostFound = 1000

// ErrEnough ends a walk that has found everything that will be shown.
var ErrEnough = errors.New("enough found")

// Walk visits a tree in the order of names. It never follows links, and it
// skips .git and the files that the ignore rules exclude.
type Walk struct {
	Private        workspace.Private
	IncludeIgnored bool
	// Named reports whether an entry with a name is visited, unless it is a
	// directory; nil means that all are. Other entries are skipped without further
	// work, and are not counted as ignored.
	Named func(name string) bool
	// Visit is called with each entry, and with a directory before its entries. It
	// returns fs.SkipDir to skip those, and any other error to end the walk.
	Visit func(e Entry) error

	start   string // the path at which the walk starts
	real    string // start without links
	Ignored int    // number of entries that were skipped because of the rules
	unread  int    // number of entries that could not be read
	first   error  // the first such error
	Remark  string // added to the note at the end
}

// Entry is a file or directory that a walk visits.
type Entry struct {
	fs.DirEntry
	Path    string             // relative to the root of the walk
	real    string             // Path without links
	Dir     *workspace.Dir     // the directory that contains it
	anchors []workspace.Anchor // the private paths, when that directory was opened
}

// In walks through the directory at path. It checks ctx every few entries, so a
// stop ends it soon, however large a directory is.
func (w *Walk) In(ctx context.Context, root *os.Root, path string) error {
	rules := ruleFiles{off: w.IncludeIgnored}
	rules.above(ctx, root, path)
	dir, err := workspace.OpenDir(root, path)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if w.start, w.real = path, path; w.Private.Denies != nil {
		if w.real, err = w.Private.Real(root, path); err != nil {
			return err
		}
	}
	if path == "." {
		path = ""
	}
	return w.within(ctx, dir, path, rules)
}

// within walks through an open directory.
func (w *Walk) within(ctx context.Context, dir *workspace.Dir, path string, rules ruleFiles) error {
	anchors := w.Private.Anchors()
	entries, err := dir.Entries(ctx, path, anchors)
	if err != nil {
		return err
	}
	rules.enter(dir, path, entries)
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := e.Name()
		if name == ".git" || w.Named != nil && !e.IsDir() && !w.Named(name) {
			continue
		}
		at := name
		if path != "" {
			at = path + string(filepath.Separator) + name
		}
		if rules.ignores(at, e.IsDir()) {
			w.Ignored++
			continue
		}
		switch err := w.Visit(Entry{e, at, w.realPath(at), dir, anchors}); {
		case errors.Is(err, fs.SkipDir):
			continue
		case err != nil:
			return err
		case !e.IsDir():
			continue
		}
		switch err := w.enter(ctx, dir, name, at, rules); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, ErrEnough):
			return err
		case err != nil:
			w.Missed(at, err)
		}
	}
	return nil
}

// realPath returns the path of an entry without links. Only the start of the walk
// can have some.
func (w *Walk) realPath(path string) string {
	if w.real == w.start {
		return path
	}
	return filepath.Join(w.real, path[len(w.start):])
}

// enter walks through a subdirectory. It opens only one name in dir, which is
// faster than to resolve the whole path again and cannot lead outside.
func (w *Walk) enter(ctx context.Context, dir *workspace.Dir, name, path string, rules ruleFiles) error {
	sub, err := dir.Sub(name)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Close() }()
	return w.within(ctx, sub, path, rules)
}

// Missed records an entry that could not be read, for note.
func (w *Walk) Missed(path string, err error) {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = &fs.PathError{Op: failed.Op, Path: workspace.Shown(path), Err: failed.Err}
	}
	if w.unread++; w.first == nil {
		w.first = err
	}
}

// Note describes what is missing from the result.
func (w *Walk) Note() string {
	note := w.Remark
	if w.Ignored > 0 {
		note += fmt.Sprintf("[ignored by .gitignore rules: %s, not included; set include_ignored to include them]\n", plural.Count(w.Ignored, "name"))
	}
	if w.unread > 0 {
		note += fmt.Sprintf("[unreadable entries: %d; first error: %v]\n", w.unread, w.first)
	}
	return note
}

// ruleFiles are the ignore rules that apply in a directory.
type ruleFiles struct {
	off    bool // ignore nothing
	chain  *ignore.Chain
	prefix string // path of the walk's root in the repository, with a final slash
}

func (r *ruleFiles) ignores(path string, dir bool) bool {
	return r.chain != nil && r.chain.Ignores(r.prefix+filepath.ToSlash(path), dir)
}
