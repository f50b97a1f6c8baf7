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
)

// mostFound is the maximum number of names that list_dir and glob return.
const mostFound = 1000

// errEnough ends a walk that has found everything that will be shown.
var errEnough = errors.New("enough found")

// walk visits a tree in the order of names. It never follows links.
type walk struct {
	root    *os.Root
	private Private
	// visit is called with each entry, and with a directory before its entries. It
	// returns fs.SkipDir to skip those, and any other error to end the walk.
	visit func(path string, entry fs.DirEntry) error

	unread int    // number of entries that could not be read
	first  error  // the first such error
	remark string // added to the note at the end
}

// in walks through dir. It checks ctx every few entries, so a stop ends it
// soon, however large a directory is.
func (w *walk) in(ctx context.Context, dir string) error {
	entries, err := readDir(ctx, w.root, dir, w.private)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		path := filepath.Join(dir, entry.Name())
		switch err := w.visit(path, entry); {
		case errors.Is(err, fs.SkipDir):
			continue
		case err != nil:
			return err
		case !entry.IsDir():
			continue
		}
		switch err := w.in(ctx, path); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, errEnough):
			return err
		case err != nil:
			w.missed(err)
		}
	}
	return nil
}

// missed records an entry that could not be read, for note.
func (w *walk) missed(err error) {
	if w.unread++; w.first == nil {
		w.first = err
	}
}

// note describes what is missing from the result.
func (w *walk) note() string {
	if w.unread == 0 {
		return w.remark
	}
	return w.remark + fmt.Sprintf("[unreadable entries: %d; first error: %v]\n", w.unread, w.first)
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

// readDir reads a directory piece by piece and returns its entries sorted by
// name.
func readDir(ctx context.Context, root *os.Root, dir string, private Private) ([]fs.DirEntry, error) {
	f, err := root.OpenFile(dir, reading, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", shown(dir))
	}
	if err := private.opened(dir, f); err != nil {
		return nil, err
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
