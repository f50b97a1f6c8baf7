//go:build unix

package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Dir is an open directory of a walk. Its methods take the name of an entry, not a
// path, and follow no links, so they cannot lead outside. os.Root has the same
// guarantee, but needs more system calls for each directory.
type Dir struct{ f *os.File }

// OpenDir opens a directory in root.
func OpenDir(root *os.Root, path string) (*Dir, error) {
	sub, err := OpenSub(root, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Close() }()
	f, err := sub.OpenFile(".", Reading, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	// A file that is opened through a root examines every entry that it lists.
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "dup", Path: path, Err: err}
	}
	return &Dir{os.NewFile(uintptr(fd), filepath.Join(root.Name(), path))}, nil
}

// Sub opens a directory in d.
func (d *Dir) Sub(name string) (*Dir, error) {
	f, err := d.open(name, unix.O_DIRECTORY)
	if errors.Is(err, unix.ENOTDIR) {
		err = fmt.Errorf("%s is not a directory", Shown(name))
	}
	if err != nil {
		return nil, err
	}
	return &Dir{f}, nil
}

// Open opens a file in d for reading. It does not block.
func (d *Dir) Open(name string) (*os.File, error) { return d.open(name, unix.O_NONBLOCK) }

func (d *Dir) open(name string, flags int) (*os.File, error) {
	for {
		fd, err := unix.Openat(int(d.f.Fd()), name, flags|unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, &fs.PathError{Op: "openat", Path: name, Err: err}
		}
		return os.NewFile(uintptr(fd), d.f.Name()+"/"+name), nil
	}
}

// Stat returns the size of an entry and the time of its last change. It describes a
// link, not its target.
func (d *Dir) Stat(name string) (size int64, modified time.Time, err error) {
	var st unix.Stat_t
	for {
		err = unix.Fstatat(int(d.f.Fd()), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, time.Time{}, &fs.PathError{Op: "stat", Path: name, Err: err}
		}
		return st.Size, time.Unix(st.Mtim.Unix()), nil
	}
}

// Readlink returns the target of a link in d.
func (d *Dir) Readlink(name string) (string, error) {
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(int(d.f.Fd()), name, target)
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return string(target[:n]), nil
}

// Close closes the directory.
func (d *Dir) Close() error { return d.f.Close() }

// list returns the open directory, to list it once. The caller does not close it.
func (d *Dir) list() (*os.File, error) { return d.f, nil }

// unlist releases the file that list has returned.
func (*Dir) unlist(*os.File) {}
