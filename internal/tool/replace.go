package tool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// makeDirs makes a directory and its parents. Undo takes back those that it
// made, unless something lives in them by then.
func makeDirs(root *os.Root, dir string) (undo func(), err error) {
	var made []string
	undo = func() {
		for _, d := range slices.Backward(made) {
			_ = root.Remove(d)
		}
	}
	path := ""
	for part := range strings.SplitSeq(dir, string(filepath.Separator)) {
		path = filepath.Join(path, part)
		if _, err := root.Stat(path); err == nil {
			continue
		}
		switch err := root.Mkdir(path, 0o777); {
		case err == nil:
			made = append(made, path)
		case !errors.Is(err, fs.ErrExist):
			return undo, err
		}
	}
	return undo, nil
}

// replace writes a file in one step: beside it under another name, then into
// its place. When it returns an error the file is as it was. It returns what
// was there before, nil for nothing; when that has to be a certain version,
// expected, and is not, it is an error.
func replace(ctx context.Context, call Call, root *os.Root, path, content string, expected fs.FileInfo) (before fs.FileInfo, err error) {
	dir, name, before, err := place(root, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	if err := call.private.opened(path, statRoot{dir}); err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o666)
	if before != nil {
		if err := regular(path, before); err != nil {
			return nil, err
		}
		// A file that may not be written is not replaced behind its back either.
		f, err := dir.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		_ = f.Close()
		mode = before.Mode().Perm()
	}
	temp := ".bellcord-" + rand.Text()
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = dir.Remove(temp)
		}
	}()
	err = fill(ctx, f, content)
	if err == nil && before != nil {
		err = f.Chmod(mode) // what the umask took away
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if expected != nil {
		now, err := dir.Lstat(name)
		if err != nil || !os.SameFile(now, expected) || now.Size() != expected.Size() || !now.ModTime().Equal(expected.ModTime()) {
			return nil, fmt.Errorf("%s was changed by another program in the meantime; read it again", shown(path))
		}
	}
	if ctx.Err() != nil { // the last moment: what follows is one step
		return nil, context.Cause(ctx)
	}
	return before, dir.Rename(temp, name)
}

// statRoot looks at the directory that a root is.
type statRoot struct{ *os.Root }

func (r statRoot) Stat() (fs.FileInfo, error) { return r.Root.Stat(".") }

// fill writes in pieces, between which a stop gets through. It does not wait
// for the disk, which can take seconds in which none would.
func fill(ctx context.Context, f *os.File, content string) error {
	for len(content) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := f.WriteString(content[:min(len(content), 64<<10)])
		if err != nil {
			return err
		}
		content = content[n:]
	}
	return nil
}

// place finds the directory and the name where a path leads, through links
// that stay inside, and what is there. The directory is held open, so what is
// done in it is done in one and the same.
func place(root *os.Root, path string) (dir *os.Root, name string, there fs.FileInfo, err error) {
	for range 40 {
		parent, name := filepath.Split(path)
		dir, err := root.OpenRoot(parent + ".")
		if err != nil {
			return nil, "", nil, err
		}
		there, err := dir.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return dir, name, nil, nil
		}
		if err == nil && there.Mode()&fs.ModeSymlink == 0 {
			return dir, name, there, nil
		}
		var target string
		if err == nil {
			target, err = dir.Readlink(name)
		}
		_ = dir.Close()
		if err != nil {
			return nil, "", nil, err
		}
		if filepath.IsAbs(target) {
			return nil, "", nil, fmt.Errorf("%s is a symbolic link to %s, which is not followed", shown(path), shown(target))
		}
		path = parent + target // not cleaned: the root knows where .. leads from here
	}
	return nil, "", nil, fmt.Errorf("%s: too many symbolic links", shown(path))
}
