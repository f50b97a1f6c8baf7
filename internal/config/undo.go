package config

import "fmt"

// Undo configures what is kept of a session's directory, so that the changes of its
// turns can be undone.
type Undo struct {
	Mode         string   `toml:"mode"`           // "on", "off", or "require", which refuses commands whose changes could not be undone
	MaxDiskBytes int64    `toml:"max_disk_bytes"` // maximum disk space for each directory, in data_dir/undo
	MaxFileBytes int64    `toml:"max_file_bytes"` // size of the largest file that is kept
	MaxScanTime  Duration `toml:"max_scan_time"`  // maximum time that a command waits until the files of its directory are kept; files that are not kept by then cannot be restored
	KeepFor      Duration `toml:"keep_for"`       // how long the changes of a turn can be undone, unless the disk space is needed; those of the last 50 turns are kept longer
}

// Values of Undo.Mode.
const (
	UndoOn      = "on"
	UndoOff     = "off"
	UndoRequire = "require"
)

// minUndoDisk is the least value of Undo.MaxDiskBytes: what is stored consists of at
// least four parts.
const minUndoDisk = 64 << 20

// check returns an error for invalid settings.
func (u Undo) check() error {
	switch {
	case u.Mode == UndoOff || u.Mode == "":
		return nil
	case u.Mode != UndoOn && u.Mode != UndoRequire:
		return fmt.Errorf("undo.mode is %q: use %s, %s or %s", u.Mode, UndoOn, UndoOff, UndoRequire)
	case u.MaxDiskBytes < minUndoDisk:
		return fmt.Errorf("undo.max_disk_bytes is %d: use %d or more", u.MaxDiskBytes, minUndoDisk)
	case u.MaxFileBytes <= 0 || u.MaxFileBytes > u.MaxDiskBytes/4:
		return fmt.Errorf("undo.max_file_bytes is %d: use at most a quarter of undo.max_disk_bytes, and at least 1", u.MaxFileBytes)
	case u.MaxScanTime <= 0:
		return fmt.Errorf("undo.max_scan_time must be longer than 0")
	case u.KeepFor <= 0:
		return fmt.Errorf("undo.keep_for must be longer than 0")
	}
	return nil
}
