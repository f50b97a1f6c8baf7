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
	dir, err := OpenSub(root, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	return ReadEntries(ctx, dir, filepath.Join(root.Name(), path), path, private.Anchors())
}

// ReadEntries reads an open directory piece by piece and returns its entries
// sorted by name.
func ReadEntries(ctx context.Context, dir *os.Root, absolute, path string, anchors []Anchor) ([]fs.DirEntry, error) {
	f, info, err := openList(dir, absolute)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if Refuses(anchors, info, nil) {
		return nil, fmt.Errorf("%s: %w", Shown(path), ErrPrivate)
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
	if f, err := os.OpenFile(absolute, Reading, 0); err == nil {
		if same, err := f.Stat(); err == nil && os.SameFile(info, same) {
			return f, info, nil
		}
		_ = f.Close()
	}
	f, err := dir.OpenFile(".", Reading, 0)
	return f, info, err
}
