package app

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
)

// OpenToOthers reports whether other users can enter a directory or read a
// file. On Windows it always returns false.
func OpenToOthers(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// KeepPrivate makes the data directory private. It returns an error if other
// users, except members of its group, still have access.
func KeepPrivate(dir string, log *slog.Logger) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it will be created private
	}
	if err != nil || !OpenToOthers(info) {
		return err
	}
	failed := os.Chmod(dir, 0o700) //nolint:gosec // a directory has to be entered
	switch {
	case failed == nil:
		log.Warn("data directory was open to other users; it is private now", "dir", dir, "was", info.Mode().Perm().String())
		return nil
	case info.Mode().Perm()&0o007 == 0: // a volume that belongs to the server's group
		log.Warn("data directory is open to its group; run chmod 700 "+dir, "err", failed)
		return nil
	}
	return fmt.Errorf("data directory %s is open to other users (%v); run chmod 700 %s, because Bellcord could not: %w", dir, info.Mode().Perm(), dir, failed)
}
