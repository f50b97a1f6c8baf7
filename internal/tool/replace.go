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

	"github.com/bellcord/bellcord/internal/tool/workspace"
)

// makeDirs creates a directory and its parents. undo removes those that it
// created, unless they contain something by then.
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

// replace replaces a file atomically: it writes a temporary file in the same
// directory and renames it. If it returns an error, the file is unchanged. It
// returns the previous file's info, or nil if there was no file. If expected is
// not nil and the file has changed since then, replace returns an error.
func replace(ctx context.Context, call Call, root *os.Root, path, content string, expected fs.FileInfo) (before fs.FileInfo, err error) {
	dir, name, before, err := place(root, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	if err := call.private.Opened(path, statRoot{dir}); err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o666)
	if before != nil {
		if err := workspace.Regular(path, before); err != nil {
			return nil, err
		}
		// A read-only file must not be replaced either.
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
		err = f.Chmod(mode) // restore bits that the umask removed
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if expected != nil {
		now, err := dir.Lstat(name)
		if err != nil || !sameFile(now, expected) {
			return nil, errMeanwhile(path)
		}
	}
	if ctx.Err() != nil { // the last chance to stop: the rename is atomic
		return nil, context.Cause(ctx)
	}
	return before, dir.Rename(temp, name)
}

// removeOnDisk removes a file that is still the expected one. A link is removed,
// not the file that it leads to.
func removeOnDisk(ctx context.Context, call Call, root *os.Root, path string, expected fs.FileInfo) error {
	f, info, err := workspace.OpenRegular(root, path, call.private)
	if err != nil {
		return err
	}
	_ = f.Close()
	if expected != nil && !sameFile(info, expected) {
		return errMeanwhile(path)
	}
	if err := call.changing(ctx, root.Name(), path); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return root.Remove(path)
}

// sameFile reports whether a file is the expected one, and unchanged.
func sameFile(now, expected fs.FileInfo) bool {
	return os.SameFile(now, expected) && now.Size() == expected.Size() && now.ModTime().Equal(expected.ModTime())
}

func errMeanwhile(path string) error {
	return fmt.Errorf("%s was changed by another program in the meantime; read it again", workspace.Shown(path))
}

// statRoot adapts an os.Root to Private.opened: Stat returns the info of the
// root directory.
type statRoot struct{ *os.Root }

func (r statRoot) Stat() (fs.FileInfo, error) { return r.Root.Stat(".") }

// fill writes in pieces and checks ctx before each. It does not sync to disk:
// that can take seconds, and a stop could not interrupt it.
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

// place returns the directory and the name that a path leads to, through links
// that stay inside, and the info of the file, or nil if it does not exist. The
// directory is open, so that all later operations use the same one. The caller
// must close it.
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
			return nil, "", nil, fmt.Errorf("%s is a symbolic link to %s, which is not followed", workspace.Shown(path), workspace.Shown(target))
		}
		path = parent + target // not cleaned: the root resolves .. from here
	}
	return nil, "", nil, fmt.Errorf("%s: too many symbolic links", workspace.Shown(path))
}
