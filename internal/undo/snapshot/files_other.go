//go:build !linux

package snapshot

import (
	"io/fs"
	"os"

	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// files reads the workspace. A symbolic link is never followed out of it.
type files struct{ root *os.Root }

func openFiles(root string) (*files, error) {
	r, err := realdir.Open(root)
	if err != nil {
		return nil, err
	}
	return &files{r}, nil
}

func (f *files) close() error { return f.root.Close() }

// buffer is memory that one goroutine uses again and again.
type buffer struct{ data []byte }

// list calls visit for each entry of a directory.
func (f *files) list(dir string, _ *buffer, visit func(name string, e entry)) error {
	if dir == "" {
		dir = "."
	}
	d, err := f.root.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	infos, err := d.Readdir(-1)
	for _, info := range infos {
		visit(info.Name(), fromInfo(info))
	}
	return err
}

func fromInfo(info fs.FileInfo) entry {
	e := entry{mtime: info.ModTime().UnixNano()}
	e.ctime, e.inode = changeTime(info)
	e.state.Mode = info.Mode() & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
	switch info.Mode().Type() {
	case 0:
		e.state.Kind, e.state.Size = tree.File, info.Size()
	case fs.ModeSymlink:
		e.state.Kind, e.state.Size, e.state.Mode = tree.Symlink, info.Size(), 0
	case fs.ModeDir:
		e.state.Kind = tree.Directory
	default:
		e.state.Kind, e.reason = tree.Other, Special
	}
	return e
}

// stat describes a path without its bytes.
func (f *files) stat(path string) (entry, error) {
	info, err := f.root.Lstat(path)
	if err != nil {
		return entry{}, err
	}
	return fromInfo(info), nil
}

// file is an open file.
type file struct{ *os.File }

// openFile opens a regular file for reading.
func (f *files) openFile(path string) (*file, error) {
	opened, err := f.root.Open(path)
	if err != nil {
		return nil, err
	}
	return &file{opened}, nil
}

// stat describes the file.
func (f *file) stat() (entry, error) {
	info, err := f.Stat()
	if err != nil {
		return entry{}, err
	}
	return fromInfo(info), nil
}

// readlink returns the target of a symbolic link.
func (f *files) readlink(path string) (string, error) { return f.root.Readlink(path) }
