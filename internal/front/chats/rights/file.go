package rights

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/internal/filelock"
)

// update applies change to the file under a lock, one process at a time. If
// change returns false, nothing is written.
func (l *List) update(change func(*book) bool) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	if l.file == "" {
		l.mu.Lock()
		defer l.mu.Unlock()
		change(&l.book)
		return nil
	}
	held, err := lock(l.file + ".lock")
	if err != nil {
		return fmt.Errorf("lock %s: %w", l.file, err)
	}
	defer func() { _ = filelock.Release(held) }()
	b, err := load(l.file)
	if err != nil || !change(&b) {
		return err
	}
	if err := save(l.file, b); err != nil {
		return fmt.Errorf("save paired users: %w", err)
	}
	return nil
}

// lockPatience is how long an update waits for another process, which normally
// takes milliseconds. It bounds the wait for a process that hangs.
const lockPatience = 5 * time.Second

// lock waits for the file lock. It is held until it is released or this process
// ends.
func lock(path string) (*os.File, error) {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	late := time.After(lockPatience)
	for {
		f, err := filelock.Try(path)
		if !errors.Is(err, filelock.ErrHeld) {
			return f, err
		}
		select {
		case <-again.C:
		case <-late:
			return nil, errors.New("held by another process for more than " + lockPatience.String())
		}
	}
}

// load reads through an os.Root because save renames through one. On Windows, a
// rename can then replace a file that is being read.
func load(path string) (b book, err error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return b, fmt.Errorf("read paired users: %w", err)
	}
	defer func() { _ = dir.Close() }()
	text, err := dir.ReadFile(filepath.Base(path))
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &b)
	}
	if err != nil {
		return book{}, fmt.Errorf("read paired users from %s: %w", path, err)
	}
	return b, nil
}

// save atomically replaces the file and makes it durable: after a power failure,
// an unpaired person must not be paired again.
func save(path string, b book) error {
	text, err := json.MarshalIndent(b, "", "\t")
	if err != nil {
		return err
	}
	return durable.Replace(path, append(text, '\n'))
}
