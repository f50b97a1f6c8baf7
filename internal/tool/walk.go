package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bellcord/bellcord/internal/ignore"
)

// mostFound is the maximum number of names that list_dir and glob return.
const mostFound = 1000

// errEnough ends a walk that has found everything that will be shown.
var errEnough = errors.New("enough found")

// walk visits a tree in the order of names. It never follows links, and it
// skips .git and the files that the ignore rules exclude.
type walk struct {
	call           Call
	includeIgnored bool
	// visit is called with each entry, and with a directory before its entries. It
	// returns fs.SkipDir to skip those, and any other error to end the walk.
	visit func(e entry) error

	base    string // the absolute path of the root
	ignored int    // number of entries that were skipped because of the rules
	unread  int    // number of entries that could not be read
	first   error  // the first such error
	remark  string // added to the note at the end
}

// entry is a file or directory that a walk visits.
type entry struct {
	fs.DirEntry
	path    string   // relative to the root of the walk
	dir     *os.Root // the directory that contains it
	anchors []anchor // the private paths, when that directory was opened
}

// Info returns the information of the entry itself, not of a link's target.
func (e entry) Info() (fs.FileInfo, error) { return e.dir.Lstat(e.Name()) }

// in walks through the directory at path. It checks ctx every few entries, so a
// stop ends it soon, however large a directory is.
func (w *walk) in(ctx context.Context, root *os.Root, path string) error {
	rules := ruleFiles{off: w.includeIgnored}
	rules.above(ctx, root, path)
	w.base = root.Name()
	dir, err := openSub(root, path)
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	if path == "." {
		path = ""
	}
	return w.within(ctx, dir, path, rules)
}

// within walks through an open directory.
func (w *walk) within(ctx context.Context, dir *os.Root, path string, rules ruleFiles) error {
	anchors := w.call.private.anchors()
	entries, err := readEntries(ctx, dir, filepath.Join(w.base, path), path, anchors)
	if err != nil {
		return err
	}
	rules.enter(dir, path, entries)
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := e.Name()
		if name == ".git" {
			continue
		}
		at := name
		if path != "" {
			at = path + string(filepath.Separator) + name
		}
		if rules.ignores(at, e.IsDir()) {
			w.ignored++
			continue
		}
		switch err := w.visit(entry{e, at, dir, anchors}); {
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
		case errors.Is(err, errEnough):
			return err
		case err != nil:
			w.missed(at, err)
		}
	}
	return nil
}

// enter walks through a subdirectory. It opens only one name in dir, which is
// faster than to resolve the whole path again and cannot lead outside.
func (w *walk) enter(ctx context.Context, dir *os.Root, name, path string, rules ruleFiles) error {
	sub, err := openSub(dir, name)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Close() }()
	return w.within(ctx, sub, path, rules)
}

// missed records an entry that could not be read, for note.
func (w *walk) missed(path string, err error) {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = &fs.PathError{Op: failed.Op, Path: shown(path), Err: failed.Err}
	}
	if w.unread++; w.first == nil {
		w.first = err
	}
}

// note describes what is missing from the result.
func (w *walk) note() string {
	note := w.remark
	if w.ignored > 0 {
		note += fmt.Sprintf("[ignored by .gitignore rules: %d %s, not included; set include_ignored to include them]\n", w.ignored, plural(w.ignored, "name"))
	}
	if w.unread > 0 {
		note += fmt.Sprintf("[unreadable entries: %d; first error: %v]\n", w.unread, w.first)
	}
	return note
}

// outcome returns the result of a walk that ended with err.
func (w *walk) outcome(ctx context.Context, out string, err error, cut, none string) Result {
	switch {
	case errors.Is(err, errEnough):
		return finished(out + cut + "\n" + w.note())
	case err != nil && ctx.Err() != nil:
		return stopped(out)
	case err != nil:
		return failed(err)
	case out == "":
		return finished(none + "\n" + w.note())
	}
	return finished(out + w.note())
}

// openSub opens a directory in root. The final slash makes os.Root refuse
// anything else before it opens it: opening a pipe would block.
func openSub(root *os.Root, path string) (*os.Root, error) {
	dir, err := root.OpenRoot(path + string(filepath.Separator))
	if errors.Is(err, syscall.ENOTDIR) {
		err = fmt.Errorf("%s is not a directory", shown(path))
	}
	return dir, err
}

// readDir returns the entries of a directory that is not private, sorted by
// name.
func readDir(ctx context.Context, root *os.Root, path string, private Private) ([]fs.DirEntry, error) {
	dir, err := openSub(root, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	return readEntries(ctx, dir, filepath.Join(root.Name(), path), path, private.anchors())
}

// readEntries reads an open directory piece by piece and returns its entries
// sorted by name.
func readEntries(ctx context.Context, dir *os.Root, absolute, path string, anchors []anchor) ([]fs.DirEntry, error) {
	f, info, err := openList(dir, absolute)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if refuses(anchors, info, nil) {
		return nil, fmt.Errorf("%s: %w", shown(path), errPrivate)
	}
	var entries []fs.DirEntry
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		some, err := f.ReadDir(256)
		entries = append(entries, some...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		if ctx.Err() != nil {
			return 0 // the result is discarded: finish soon
		}
		return strings.Compare(a.Name(), b.Name())
	})
	return entries, nil
}

// openList opens a directory to list it. A directory that is opened through its
// root is slow to list, because os examines every entry. So openList opens it by
// its absolute path and uses that if it is the same directory.
func openList(dir *os.Root, absolute string) (*os.File, fs.FileInfo, error) {
	info, err := dir.Stat(".")
	if err != nil {
		return nil, nil, err
	}
	if f, err := os.OpenFile(absolute, reading, 0); err == nil {
		if same, err := f.Stat(); err == nil && os.SameFile(info, same) {
			return f, info, nil
		}
		_ = f.Close()
	}
	f, err := dir.OpenFile(".", reading, 0)
	return f, info, err
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
