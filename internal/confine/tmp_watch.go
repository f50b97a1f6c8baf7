package confine

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// tmpChecked is how often the size of a session's /tmp is checked, at most.
const tmpChecked = time.Second

// LimitTmp is the limit that a command reaches in its session's /tmp. It is a value
// of proc.Exit.Limit.
const LimitTmp = "tmp"

// watchTmp calls full when the session's /tmp has more than most bytes and has grown
// since the last look, also that of an earlier command. It returns then, or when ctx
// ends. A command that removes files from a full directory may run.
func watchTmp(ctx context.Context, dir *tempDir, most int64, full func()) {
	for first := true; ; first = false {
		start := time.Now()
		size := allocated(ctx, dir.path)
		if ctx.Err() != nil { // the size is not complete
			return
		}
		if !dir.admits(size, most, first) {
			full()
			return
		}
		pause := time.NewTimer(max(tmpChecked, 20*time.Since(start))) // a large directory takes time to read
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return
		}
	}
}

// admits reports whether the directory may have the size that a command sees, for
// the first time or again. The command after one that was ended may begin with any
// size, so that it can remove files.
func (t *tempDir) admits(size, most int64, first bool) bool {
	t.looking.Lock()
	defer t.looking.Unlock()
	ok := size <= max(most, t.seen) || first && t.wasFull
	t.seen = size
	if first || !ok {
		t.wasFull = !ok
	}
	return ok
}

// allocated returns the number of bytes that the files of a directory take. It
// follows no symbolic link.
func allocated(ctx context.Context, dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // removed in the meantime, or not readable
		}
		if info, err := e.Info(); err == nil {
			sum += blocks(info)
		}
		return ctx.Err()
	})
	return sum
}

// blocks returns what a file takes, with its entry.
func blocks(info os.FileInfo) int64 {
	const entry = 512
	return entry + onDisk(info)
}
