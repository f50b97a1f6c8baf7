package restore

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// folder is an open directory. Its methods take single names, never paths, and
// follow no symbolic link.
type folder struct {
	*os.Root
	fd *os.File // the same directory, for calls that os.Root does not have
}

func openFolder(path string) (*folder, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return newFolder(root)
}

// openWorkspace opens the directory of an undo. It was replaced if its path leads
// through a symbolic link.
func openWorkspace(path string) (*folder, error) {
	root, err := realdir.Open(path)
	if err != nil {
		return nil, err
	}
	return newFolder(root)
}

func newFolder(root *os.Root) (*folder, error) {
	fd, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &folder{root, fd}, nil
}

// closeDir closes the directory. Errors are ignored: it was opened for reading.
func (f *folder) closeDir() {
	_ = f.fd.Close()
	_ = f.Close()
}

// errNotDirectory is the error for a component of a path that is no directory, for
// example a symbolic link to one.
var errNotDirectory = errors.New("not a directory")

// sub opens a directory in the folder.
func (f *folder) sub(name string) (*folder, error) {
	before, err := f.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !before.IsDir() {
		return nil, fmt.Errorf("%q: %w", name, errNotDirectory)
	}
	root, err := f.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(before, opened) { // replaced by a link
		_ = root.Close()
		return nil, fmt.Errorf("%q: %w", name, errors.Join(err, errNotDirectory))
	}
	return newFolder(root)
}

// parent opens the directory of a path below the folder, component by component,
// and returns it with the last component. The caller must close it.
func (f *folder) parent(path string) (*folder, string, error) {
	root, err := f.OpenRoot(".")
	if err != nil {
		return nil, "", err
	}
	dir, err := newFolder(root)
	if err != nil {
		return nil, "", err
	}
	for {
		name, rest, more := strings.Cut(path, "/")
		if !more {
			return dir, name, nil
		}
		next, err := dir.sub(name)
		dir.closeDir()
		if err != nil {
			return nil, "", err
		}
		dir, path = next, rest
	}
}

// state returns the present state of a name, and its inode. A file that cannot be
// read has a state that is not hashed.
func (f *folder) state(name string) (tree.State, identity, error) {
	info, err := f.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return tree.State{}, identity{}, nil
	}
	if err != nil {
		return tree.State{}, identity{}, err
	}
	id := identityOf(info)
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return f.fileState(name, info)
	case mode&fs.ModeSymlink != 0:
		target, err := f.Readlink(name)
		if err != nil {
			return tree.State{Kind: tree.Symlink}, id, nil // replaced at this moment
		}
		return tree.State{Kind: tree.Symlink, Size: int64(len(target)), Sum: sha256.Sum256([]byte(target)), Hashed: true}, id, nil
	case mode.IsDir():
		return tree.State{Kind: tree.Directory, Mode: bits(mode)}, id, nil
	default:
		return tree.State{Kind: tree.Other, Mode: bits(mode)}, id, nil
	}
}

func (f *folder) fileState(name string, info fs.FileInfo) (tree.State, identity, error) {
	unread := tree.State{Kind: tree.File, Mode: bits(info.Mode()), Size: info.Size()}
	file, err := f.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return unread, identityOf(info), nil
	}
	defer func() { _ = file.Close() }()
	opened, err := file.Stat()
	if err != nil || !os.SameFile(info, opened) {
		return unread, identityOf(info), nil
	}
	hash := sha256.New()
	n, err := io.Copy(hash, file)
	if err != nil {
		return unread, identityOf(info), nil
	}
	s := tree.State{Kind: tree.File, Mode: bits(opened.Mode()), Size: n, Hashed: true}
	hash.Sum(s.Sum[:0])
	return s, identityOf(opened), nil
}

// bits returns the part of a mode that a state contains.
func bits(mode fs.FileMode) fs.FileMode {
	return mode & (fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky)
}

// list returns the names in a directory of the folder.
func (f *folder) list(name string) ([]string, error) {
	dir, err := f.sub(name)
	if err != nil {
		return nil, err
	}
	defer dir.closeDir()
	return dir.fd.Readdirnames(-1)
}

// isForbidden reports whether the system does not allow a change: permissions, an
// attribute of the file, or a file system that is read-only.
func isForbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// notAllowed returns the reason for an error of isForbidden.
func notAllowed(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return "it cannot be changed: " + number.Error()
	}
	return "it cannot be changed: permission denied"
}

// isMissing reports whether a path cannot exist: one of its directories is absent,
// or is something else.
func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDirectory) || errors.Is(err, syscall.ENOTDIR)
}
