package sandbox

import (
	"crypto/rand"
	"errors"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// kept returns the function that restores the absent files, the links and the
// submodules of a view after the command's end. It reaches them by the directories
// that were open before the command began.
func (v *view) kept() (func(), error) {
	var all []func()
	dirs := map[string]place{}
	var failure error
	keep := func(path string, restore func(dir int, name string)) {
		if !v.writes(path) {
			return
		}
		parent, name := filepath.Split(path)
		at, known := dirs[parent]
		if !known {
			var err error
			if at, err = openPlace(parent); exhausted(err) {
				failure = err
			}
			dirs[parent] = at
		}
		if at.file != nil {
			all = append(all, func() { restore(int(at.file.Fd()), name) })
		}
	}
	for _, path := range v.Absent {
		keep(path, setAside)
	}
	for _, link := range v.Links {
		keep(link.Path, func(dir int, name string) {
			if target, err := readLink(dir, name); err != nil || target != link.Target {
				setAside(dir, name)
				_ = unix.Symlinkat(link.Target, dir, name) // if it fails, git finds no repository
			}
		})
	}
	for _, e := range v.entered {
		all = append(all, func() { e.restore(v) })
	}
	release := func() {
		for _, at := range dirs {
			_ = at.file.Close() // it was never read; os.ErrInvalid if it could not be opened
		}
	}
	if failure != nil {
		release()
		return nil, failure
	}
	return func() {
		for _, restore := range all {
			restore()
		}
		release()
	}, nil
}

// setAside renames a file that a command has created and must not have. The command
// can have made the directory read-only, too.
func setAside(dir int, name string) {
	for range 2 {
		err := unix.Renameat2(dir, name, dir, name+".from-sandbox", unix.RENAME_NOREPLACE)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return
		}
		// The name is taken, or the file system cannot refuse a taken one.
		if unix.Renameat(dir, name, dir, name+".from-sandbox-"+rand.Text()) == nil {
			return
		}
		regain(dir)
	}
}

// regain gives the owner of an open directory all rights to it again.
func regain(dir int) {
	var info unix.Stat_t
	if unix.Fstat(dir, &info) == nil {
		_ = unix.Chmod("/proc/self/fd/"+strconv.Itoa(dir), info.Mode&0o7777|0o700) // a command changes the rights of what its user owns, so this works
	}
}

func readLink(dir int, name string) (string, error) {
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(dir, name, target)
	if err != nil {
		return "", err
	}
	return string(target[:n]), nil
}
