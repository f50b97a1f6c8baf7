package rights

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/bellcord/bellcord/internal/filelock"
)

// update changes the file, one process after the other. A change that reports
// false is not written.
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

// lockPatience is how long a change waits for another process's, which takes
// milliseconds. One that hangs shall not hang us.
const lockPatience = 5 * time.Second

// lock waits for the file's lock, which lasts until it is released, also by the
// death of this process.
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

// load reads through the directory, and save renames within it: in that way the
// two go together on Windows, too.
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

// save puts a whole file in place of the old one, for its owner alone to read.
// It is called under the lock: what a crash left of another one is in nobody's way.
func save(path string, b book) error {
	text, err := json.MarshalIndent(b, "", "\t")
	if err != nil {
		return err
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	name := filepath.Base(path)
	fresh := name + ".new"
	if err := dir.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := dir.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := dir.Rename(fresh, name); err != nil {
		return err
	}
	if names, err := dir.Open("."); err == nil { // after a power cut nobody is paired again; where a directory can be synced
		_ = names.Sync()
		_ = names.Close()
	}
	return nil
}
