//go:build !unix

package workspace

import (
	"os"
	"path/filepath"
	"time"
)

// Dir is an open directory of a walk. Its methods take the name of an entry, not a
// path, and cannot lead outside.
type Dir struct {
	root     *os.Root
	absolute string
}

// OpenDir opens a directory in root.
func OpenDir(root *os.Root, path string) (*Dir, error) {
	sub, err := OpenSub(root, path)
	if err != nil {
		return nil, err
	}
	return &Dir{sub, filepath.Join(root.Name(), path)}, nil
}

// Sub opens a directory in d.
func (d *Dir) Sub(name string) (*Dir, error) {
	sub, err := OpenSub(d.root, name)
	if err != nil {
		return nil, err
	}
	return &Dir{sub, filepath.Join(d.absolute, name)}, nil
}

// Open opens a file in d for reading. It does not block.
func (d *Dir) Open(name string) (*os.File, error) { return d.root.OpenFile(name, Reading, 0) }

// Stat returns the size of an entry and the time of its last change. It describes a
// link, not its target.
func (d *Dir) Stat(name string) (size int64, modified time.Time, err error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return 0, time.Time{}, err
	}
	return info.Size(), info.ModTime(), nil
}

// Readlink returns the target of a link in d.
func (d *Dir) Readlink(name string) (string, error) { return d.root.Readlink(name) }

// Close closes the directory.
func (d *Dir) Close() error { return d.root.Close() }

// list opens the directory to list it. A directory that is opened through its root
// is slow to list, because os examines every entry. So list opens it by its
// absolute path and uses that if it is the same directory.
func (d *Dir) list() (*os.File, error) {
	info, err := d.root.Stat(".")
	if err != nil {
		return nil, err
	}
	if f, err := os.OpenFile(d.absolute, Reading, 0); err == nil {
		if same, err := f.Stat(); err == nil && os.SameFile(info, same) {
			return f, nil
		}
		_ = f.Close()
	}
	return d.root.OpenFile(".", Reading, 0)
}

// unlist closes the file that list has returned.
func (*Dir) unlist(f *os.File) { _ = f.Close() }
