package snapshot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// SetHook sets the function that is called at named points. It returns the
// function that removes it.
func SetHook(f func(point string)) func() {
	hook = f
	return func() { hook = nil }
}

// SetSpace replaces the measurement of the disk.
func (w *Workspace) SetSpace(f func(string) (free, total uint64, err error)) { w.space = f }

// SetNow replaces the clock that dates the ends of calls.
func (w *Workspace) SetNow(f func() time.Time) { w.now = f }

// LogName returns the name of the log that counts.
func (w *Workspace) LogName() string { return filepath.Base(w.journal.logPath()) }

// Unreferenced returns the number of bytes behind the last recorded ones of each
// segment, and in segments without any.
func (w *Workspace) Unreferenced() int64 {
	stray := int64(0)
	names, _ := filepath.Glob(filepath.Join(w.dir, "pack-*"))
	ends := w.index.ends()
	for _, name := range names {
		var number uint64
		_, _ = fmt.Sscanf(filepath.Base(name), packPattern, &number)
		info, err := os.Stat(name)
		if err == nil {
			stray += info.Size() - ends[number]
		}
		if ends[number] == 0 {
			stray++
		}
	}
	return stray
}

// Racy returns the number of files that the next scan hashes again.
func (w *Workspace) Racy() int {
	racy := 0
	for _, n := range w.index.root.all("") {
		if n.racy {
			racy++
		}
	}
	return racy
}

// Found returns the calls that processes have left open.
func (w *Workspace) Found(ctx context.Context) ([]Call, error) {
	left, err := w.Left(ctx, func(string) bool { return true })
	var all []Call
	for _, l := range left {
		all = append(all, l.Open...)
	}
	return all, err
}
