package realdir

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// look returns the directory at a path without symbolic links.
func look(path string) (fs.FileInfo, error) {
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	for {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &how)
		switch {
		case err == nil:
			f := os.NewFile(uintptr(fd), path)
			defer func() { _ = f.Close() }() // it was never read
			return f.Stat()
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
		case errors.Is(err, unix.ELOOP):
			return nil, linked(path)
		case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // before Linux 5.6, and in some containers
			return walk(path)
		default:
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
