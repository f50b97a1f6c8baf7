package workspace

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
)

// OpenSub opens a directory in root. The final slash makes os.Root refuse
// anything else before it opens it: opening a pipe would block.
func OpenSub(root *os.Root, path string) (*os.Root, error) {
	dir, err := root.OpenRoot(path + string(filepath.Separator))
	if errors.Is(err, syscall.ENOTDIR) {
		err = fmt.Errorf("%s is not a directory", Shown(path))
	}
	return dir, err
}

// readDir returns the entries of a directory that is not private, sorted by
// name.
func readDir(ctx context.Context, root *os.Root, path string, private Private) ([]fs.DirEntry, error) {
	dir, err := OpenDir(root, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	return dir.Entries(ctx, path, private.Anchors())
}

// Entries reads the directory piece by piece and returns its entries sorted by
// name. It is called once for each directory. path is for errors.
func (d *Dir) Entries(ctx context.Context, path string, anchors []Anchor) ([]fs.DirEntry, error) {
	f, err := d.list()
	if err != nil {
		return nil, err
	}
	defer d.unlist(f)
	if len(anchors) > 0 {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if Refuses(anchors, info, nil) {
			return nil, fmt.Errorf("%s: %w", Shown(path), ErrPrivate)
		}
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
