// Package durable replaces files so that a crash or a power failure leaves
// either the old content or the new one.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Replace writes data to a file, which only its owner can read. When it returns
// nil, the new content is durable. After an error, the file has the old or the
// new content. An existing link is replaced, not followed. Concurrent calls are
// safe; the last one wins.
func Replace(path string, data []byte) error { return ReplaceMode(path, data, private) }

// ReplaceMode is Replace for a file with the given permissions, whatever the
// umask.
func ReplaceMode(path string, data []byte, mode fs.FileMode) error {
	return replace(path, data, mode, (*os.File).Sync)
}

const private fs.FileMode = 0o600

// replace is ReplaceMode with the function that makes a file or directory durable.
func replace(path string, data []byte, mode fs.FileMode, sync func(*os.File) error) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+"-*") // mode 0600, never an existing file
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && mode != private {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = sync(f)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // best effort
		return err
	}
	return syncDir(dir, sync)
}

// SyncDir makes the creation, renaming and removal of files in dir durable. On
// Windows, where directories cannot be synced, it does nothing.
func SyncDir(dir string) error { return syncDir(dir, (*os.File).Sync) }

func syncDir(dir string, sync func(*os.File) error) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(sync(d), d.Close())
}
