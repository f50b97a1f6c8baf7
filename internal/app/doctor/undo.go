package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/config"
)

// nearlyFull is the percentage of undo.max_disk_bytes from which undo warns.
const nearlyFull = 90

// undo reports the mode, the disk space in use, and the directories of which
// nothing is kept.
func (d *Doctor) undo(context.Context) []Finding {
	c := d.config.Settings.Undo
	if c.Mode == config.UndoOff || c.Mode == "" {
		return ok("off: changes of turns to files are not recorded")
	}
	place := filepath.Join(d.config.Settings.DataDir, "undo")
	all, largest := diskUse(place)
	text := fmt.Sprintf("%s; nothing is kept yet, at most %d MB for each directory", c.Mode, c.MaxDiskBytes>>20)
	if all > 0 {
		text = fmt.Sprintf("%s; %d MB in use, at most %d of %d MB for one directory", c.Mode, all>>20, largest>>20, c.MaxDiskBytes>>20)
	}
	found := ok("%s", text)
	if largest >= c.MaxDiskBytes/100*nearlyFull {
		found = warn("raise max_disk_bytes in [undo], or lower keep_for", "%s; new changes may not be kept", text)
	}
	if free, reserved, err := app.UndoReserve(d.config.Settings.DataDir); err == nil && free < reserved {
		found = warn("free space on the disk of data_dir", "%s; nothing is kept while less than %d MB of the disk are free, now it is %d MB", text, reserved>>20, free>>20)
	}
	working, _ := os.Getwd()    // without one, it is not reported
	home, _ := os.UserHomeDir() // same
	switch {
	case contains(working, place):
		return append(found, warn("start in the directory of a project, or move data_dir", "%s contains the data directory: changes of sessions there are not kept", working)...)
	case contains(home, place):
		return append(found, ok("not kept: changes of sessions that start in %s itself, because it contains the data directory", home)...)
	}
	return found
}

// diskUse returns the size of the undo storage, and of its largest part: each
// directory with sessions has one.
func diskUse(place string) (all, largest int64) {
	sizes := map[string]int64{}
	_ = filepath.WalkDir(place, func(path string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(place, path)
		first, _, below := strings.Cut(filepath.ToSlash(rel), "/")
		if err != nil || entry.IsDir() || !below {
			return nil // a file that was removed meanwhile does not count
		}
		if info, err := entry.Info(); err == nil {
			sizes[first] += info.Size()
		}
		return nil
	})
	for _, size := range sizes {
		all += size
		largest = max(largest, size)
	}
	return all, largest
}

// contains reports whether a path is in a directory, or is the directory.
func contains(dir, path string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(resolved(dir), resolved(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved returns a path without symbolic links, as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolved(parent), filepath.Base(path))
}
