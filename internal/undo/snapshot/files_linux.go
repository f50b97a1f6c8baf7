package snapshot

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// files reads the workspace. No method follows a symbolic link, also not in the
// directories of a path.
type files struct {
	fd      int
	openat2 bool
}

func openFiles(root string) (*files, error) {
	r, err := realdir.Open(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it was never read
	dir, err := r.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // it was never read
	fd, err := unix.FcntlInt(dir.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "dup", Path: root, Err: err}
	}
	f := &files{fd: fd, openat2: true}
	probe, err := f.open(".", unix.O_RDONLY|unix.O_DIRECTORY)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // before Linux 5.6, and in some containers
		f.openat2 = false
	} else if err == nil {
		_ = unix.Close(probe)
	}
	return f, nil
}

func (f *files) close() error { return unix.Close(f.fd) }

// identity returns a name for the root by its device and inode.
func (f *files) identity() (string, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x-%x", st.Dev, st.Ino), nil
}

func (f *files) open(path string, flags int) (int, error) {
	flags |= unix.O_CLOEXEC | unix.O_NOFOLLOW
	if flags&unix.O_PATH == 0 {
		flags |= unix.O_NONBLOCK // a named pipe in the place of a file must not block
	}
	for {
		var fd int
		var err error
		if f.openat2 {
			fd, err = unix.Openat2(f.fd, path, &unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
		} else {
			fd, err = unix.Openat(f.fd, path, flags, 0)
		}
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) { // EAGAIN: a rename during the resolution
			return fd, err
		}
	}
}

// buffer is memory that one goroutine uses again and again.
type buffer struct {
	names []byte
	list  []string
	data  []byte
}

// list calls visit for each entry of a directory.
func (f *files) list(dir string, b *buffer, visit func(name string, e entry)) error {
	if dir == "" {
		dir = "."
	}
	fd, err := f.open(dir, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if b.names == nil {
		b.names = make([]byte, 64<<10)
	}
	b.list = b.list[:0]
	for {
		n, err := unix.ReadDirent(fd, b.names)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		if n <= 0 {
			break
		}
		b.list = appendNames(b.list, b.names[:n])
	}
	for _, name := range b.list {
		var st unix.Stat_t
		switch err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); {
		case err == nil:
			visit(name, fromStat(&st))
		case !errors.Is(err, unix.ENOENT): // otherwise it was removed meanwhile
			return err
		}
	}
	return nil
}

// appendNames appends the names in the result of getdents64, except "." and "..".
func appendNames(names []string, data []byte) []string {
	const nameOffset = 19 // inode 8, offset 8, length 2, type 1
	for len(data) > nameOffset {
		size := int(binary.NativeEndian.Uint16(data[16:]))
		if size < nameOffset || size > len(data) {
			break
		}
		name := data[nameOffset:size]
		if end := slices.Index(name, 0); end >= 0 {
			name = name[:end]
		}
		if string(name) != "." && string(name) != ".." {
			names = append(names, string(name))
		}
		data = data[size:]
	}
	return names
}

func fromStat(st *unix.Stat_t) entry {
	e := entry{mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), inode: st.Ino}
	e.state.Mode = fs.FileMode(st.Mode & 0o777)
	if st.Mode&unix.S_ISUID != 0 {
		e.state.Mode |= fs.ModeSetuid
	}
	if st.Mode&unix.S_ISGID != 0 {
		e.state.Mode |= fs.ModeSetgid
	}
	if st.Mode&unix.S_ISVTX != 0 {
		e.state.Mode |= fs.ModeSticky
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		e.state.Kind, e.state.Size = tree.File, st.Size
	case unix.S_IFLNK:
		e.state.Kind, e.state.Size, e.state.Mode = tree.Symlink, st.Size, 0
	case unix.S_IFDIR:
		e.state.Kind = tree.Directory
	default:
		e.state.Kind, e.reason = tree.Other, Special
	}
	return e
}

// stat describes a path without its bytes.
func (f *files) stat(path string) (entry, error) {
	dir, name := splitPath(path)
	fd := f.fd
	if dir != "" {
		var err error
		if fd, err = f.open(dir, unix.O_PATH|unix.O_DIRECTORY); err != nil {
			return entry{}, err
		}
		defer func() { _ = unix.Close(fd) }()
	}
	var st unix.Stat_t
	if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return entry{}, err
	}
	return fromStat(&st), nil
}

// file is an open file. An os.File would need five more system calls for each
// file, and a scan reads thousands.
type file struct{ fd int }

// openFile opens a regular file for reading.
func (f *files) openFile(path string) (*file, error) {
	fd, err := f.open(path, unix.O_RDONLY)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return &file{fd}, nil
}

// Close implements io.Closer.
func (f *file) Close() error { return unix.Close(f.fd) }

// ReadAt implements io.ReaderAt.
func (f *file) ReadAt(p []byte, offset int64) (int, error) {
	n := 0
	for n < len(p) {
		m, err := unix.Pread(f.fd, p[n:], offset+int64(n))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return n, err
		case m == 0:
			return n, io.EOF
		default:
			n += m
		}
	}
	return n, nil
}

// stat describes the file.
func (f *file) stat() (entry, error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return entry{}, err
	}
	return fromStat(&st), nil
}

// readlink returns the target of a symbolic link.
func (f *files) readlink(path string) (string, error) {
	dir, name := splitPath(path)
	fd := f.fd
	if dir != "" {
		var err error
		if fd, err = f.open(dir, unix.O_PATH|unix.O_DIRECTORY); err != nil {
			return "", err
		}
		defer func() { _ = unix.Close(fd) }()
	}
	target := make([]byte, unix.PathMax+1)
	n, err := unix.Readlinkat(fd, name, target)
	if err != nil {
		return "", err
	}
	return string(target[:n]), nil
}
