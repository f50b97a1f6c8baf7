package confine

import (
	"os"
	"path/filepath"
	"syscall"
)

// oPath is O_PATH, which package syscall does not have.
const oPath = 0x200000

// createBelow creates the missing directories of a path below home. It follows no
// symbolic link below home: a command may have put it there. It creates nothing in
// a directory of another user, in which the owner could not use the result. What
// cannot be created stays missing: the command reports it.
func createBelow(home string, names []string) {
	real, err := filepath.EvalSymlinks(home)
	if err != nil {
		return
	}
	const flags = syscall.O_DIRECTORY | syscall.O_NOFOLLOW | syscall.O_CLOEXEC | oPath
	dir, err := syscall.Open(real, flags, 0)
	for _, name := range names {
		if err != nil {
			return
		}
		next, missing := syscall.Openat(dir, name, flags, 0)
		if missing == syscall.ENOENT && isOwn(dir) { //nolint:errorlint // a plain errno
			_ = syscall.Mkdirat(dir, name, cacheMode(name)) // Openat returns the error
			next, missing = syscall.Openat(dir, name, flags, 0)
		}
		_ = syscall.Close(dir)
		dir, err = next, missing
	}
	if err == nil {
		_ = syscall.Close(dir)
	}
}

// cacheMode returns the mode of a new directory: ~/.cache is private, as the XDG
// specification requires.
func cacheMode(name string) uint32 {
	if name == ".cache" {
		return 0o700
	}
	return 0o755
}

func isOwn(dir int) bool {
	var info syscall.Stat_t
	return syscall.Fstat(dir, &info) == nil && int(info.Uid) == os.Geteuid()
}
