//go:build linux || darwin

package restore

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// identity is the place of a file on disk. Two files that exist at the same time
// have different inodes.
type identity struct{ inode, device, links uint64 }

func identityOf(info fs.FileInfo) identity {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{s.Ino, uint64(s.Dev), uint64(s.Nlink)} //nolint:unconvert // other sizes on macOS
}

// sameMount reports whether files can be renamed from one folder to the other. Two
// mounts of one file system have the same device; the rename of a name that does not
// exist shows the difference.
func sameMount(a, b *folder) bool {
	x, err := a.Stat(".")
	if err != nil {
		return false
	}
	y, err := b.Stat(".")
	if err != nil || identityOf(x).device != identityOf(y).device {
		return false
	}
	const absent = ".bellcord-absent"
	return !isOtherMount(unix.Renameat(int(a.fd.Fd()), absent, int(b.fd.Fd()), absent))
}

func isOtherMount(err error) bool { return errors.Is(err, unix.EXDEV) }

func isUnsupported(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP)
}

// copyOwner gives a new file the owner and group of the file that it replaces, if
// the process may do so.
func copyOwner(f *os.File, of fs.FileInfo) {
	if s, ok := of.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}

// copyAttributes gives a new file the extended attributes and the ACL of the file that
// it replaces, as far as the process may do so. A capability belongs to the bytes.
func copyAttributes(to, from *os.File) {
	names := make([]byte, 64<<10)
	n, err := unix.Flistxattr(int(from.Fd()), names)
	if err != nil {
		return
	}
	value := make([]byte, 64<<10)
	for name := range strings.SplitSeq(strings.TrimRight(string(names[:n]), "\x00"), "\x00") {
		size, err := unix.Fgetxattr(int(from.Fd()), name, value)
		if err == nil && name != "security.capability" {
			_ = unix.Fsetxattr(int(to.Fd()), name, value[:size], 0)
		}
	}
}

// mayWrite returns an error if this process may not change names in a directory.
func mayWrite(dir *folder) error {
	return unix.Faccessat(int(dir.fd.Fd()), ".", unix.W_OK|unix.X_OK, unix.AT_EACCESS)
}

// removeEmpty removes an empty directory, and nothing else.
func removeEmpty(dir *folder, name string) error {
	return unix.Unlinkat(int(dir.fd.Fd()), name, unix.AT_REMOVEDIR)
}
