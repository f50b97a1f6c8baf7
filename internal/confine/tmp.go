package confine

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/filelock"
)

// TempDirs keeps the directories that the commands of a session see as /tmp and
// /var/tmp. They exist from the session's first command until End or Close. Other
// processes may use the same directories: the last one removes them. It is safe for
// concurrent use.
//
// The parent contains a directory for each session, an empty file for each process
// that uses it (its name is that of the directory and the number of the process),
// and a locked file for each living process. Commands cannot see the parent.
type TempDirs struct {
	Parent string

	mu    sync.Mutex
	id    string   // the number of this process
	alive *os.File // locked while this process lives
	used  map[bellcord.SessionID]*tempDir

	released *sync.Cond // set by Close
}

// tempDir is the directory of a session in this process.
type tempDir struct {
	path  string
	users int  // commands that have it mounted
	ended bool // the session has ended: the last user removes it

	looking sync.Mutex
	seen    int64 // its size at the last look
	wasFull bool  // a command was ended because of its size, and none has begun since
}

// Parts of the names in the parent.
const (
	aliveName   = "alive-"
	removedName = "removed-"
	guardName   = "lock"
)

// acquire returns the directory of a session, and creates it if needed. Each call
// needs one of release.
func (d *TempDirs) acquire(id bellcord.SessionID) (*tempDir, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dir := d.used[id]
	if dir == nil {
		sum := sha256.Sum256([]byte(id)) // an id may be no file name
		dir = &tempDir{path: filepath.Join(d.Parent, hex.EncodeToString(sum[:16]))}
		if err := d.enter(dir); err != nil {
			return nil, fmt.Errorf("create the session's /tmp: %w", err)
		}
		if d.used == nil {
			d.used = map[bellcord.SessionID]*tempDir{}
		}
		d.used[id] = dir
	}
	for _, part := range []string{dir.tmp(), dir.varTmp()} {
		if err := os.Mkdir(part, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("create the session's /tmp: %w", err)
		}
	}
	dir.users++
	dir.ended = false
	return dir, nil
}

// enter creates the directory, and marks that this process uses it.
func (d *TempDirs) enter(dir *tempDir) error {
	if err := os.MkdirAll(d.Parent, 0o700); err != nil {
		return err
	}
	return d.guarded(func() error {
		if d.alive == nil {
			id := rand.Text()
			alive, err := filelock.Try(filepath.Join(d.Parent, aliveName+id))
			if err != nil {
				return err
			}
			d.id, d.alive = id, alive
		}
		if err := os.WriteFile(dir.path+"."+d.id, nil, 0o600); err != nil {
			return err
		}
		if err := os.Mkdir(dir.path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return nil
	})
}

// guarded calls f while no other process changes the parent.
func (d *TempDirs) guarded(f func() error) error {
	guard, err := os.OpenFile(filepath.Join(d.Parent, guardName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := filelock.Wait(guard); err != nil {
		return errors.Join(err, guard.Close())
	}
	return errors.Join(f(), filelock.Release(guard))
}

// release ends a command's use of a directory.
func (d *TempDirs) release(id bellcord.SessionID, dir *tempDir) {
	d.mu.Lock()
	dir.users--
	d.leaveUnused(id, dir)
	if d.released != nil {
		d.released.Broadcast()
	}
	d.mu.Unlock()
	d.purge()
}

// End removes the directory of a session, when its last command has ended.
func (d *TempDirs) End(id bellcord.SessionID) {
	d.mu.Lock()
	dir := d.used[id]
	if dir == nil {
		d.mu.Unlock()
		return
	}
	dir.ended = true
	d.leaveUnused(id, dir)
	d.mu.Unlock()
	d.purge()
}

// leaveUnused removes the mark of this process from a directory that it does not
// need, and sets aside what no process uses.
func (d *TempDirs) leaveUnused(id bellcord.SessionID, dir *tempDir) {
	if !dir.ended || dir.users > 0 {
		return
	}
	delete(d.used, id)
	_ = os.Remove(dir.path + "." + d.id) // Sweep removes what stays
	d.setAside(filepath.Base(dir.path))
}

// Sweep removes the directories that no living process uses: those of processes
// that did not end in an orderly way.
func (d *TempDirs) Sweep() {
	if _, err := os.Lstat(d.Parent); err != nil {
		return
	}
	d.mu.Lock()
	d.setAside("")
	d.mu.Unlock()
	d.purge()
}

// setAside renames the unused directories whose name begins with a prefix, so that
// nobody finds them. What fails stays for the next time.
func (d *TempDirs) setAside(prefix string) {
	_ = d.guarded(func() error {
		entries, err := os.ReadDir(d.Parent)
		used := map[string]bool{}
		for _, e := range entries {
			name, process, marks := strings.Cut(e.Name(), ".")
			switch {
			case !strings.HasPrefix(e.Name(), prefix):
			case marks && d.lives(process):
				used[name] = true
			case marks:
				_ = os.Remove(filepath.Join(d.Parent, e.Name()))
			case strings.HasPrefix(name, aliveName):
				d.lives(strings.TrimPrefix(name, aliveName))
			}
		}
		for _, e := range entries {
			if name := e.Name(); e.IsDir() && strings.HasPrefix(name, prefix) && !used[name] && !strings.HasPrefix(name, removedName) {
				_ = os.Rename(filepath.Join(d.Parent, name), filepath.Join(d.Parent, removedName+rand.Text()))
			}
		}
		return err
	})
}

// purge removes what was set aside. It takes time and needs no lock.
func (d *TempDirs) purge() {
	entries, _ := os.ReadDir(d.Parent) // a directory that does not exist has no entries
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), removedName) {
			removeTree(filepath.Join(d.Parent, e.Name()))
		}
	}
}

// lives reports whether a process lives. It removes the file of one that does not.
func (d *TempDirs) lives(process string) bool {
	if process == d.id {
		return true
	}
	path := filepath.Join(d.Parent, aliveName+process)
	if _, err := os.Lstat(path); err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	lock, err := filelock.Try(path)
	if err != nil {
		return true
	}
	_ = errors.Join(os.Remove(path), filelock.Release(lock))
	return false
}

// removeTree removes a directory, with directories in it that are not writable.
func removeTree(path string) {
	if os.RemoveAll(path) == nil {
		return
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	_ = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(path)
}

// Close removes the directories of all sessions, except those that other processes
// use. It waits for running commands until ctx ends. d may be nil.
func (d *TempDirs) Close(ctx context.Context) {
	if d == nil {
		return
	}
	d.mu.Lock()
	d.released = sync.NewCond(&d.mu)
	stop := context.AfterFunc(ctx, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.released.Broadcast()
	})
	for id, dir := range d.used {
		dir.ended = true
		d.leaveUnused(id, dir)
	}
	for len(d.used) > 0 && ctx.Err() == nil {
		d.released.Wait()
	}
	if d.alive != nil && len(d.used) == 0 {
		_ = errors.Join(os.Remove(d.alive.Name()), filelock.Release(d.alive))
		d.alive, d.id = nil, ""
	}
	d.mu.Unlock()
	stop()
	if _, err := os.Lstat(d.Parent); err == nil {
		d.purge()
	}
}

func (t *tempDir) tmp() string { return filepath.Join(t.path, "tmp") }

func (t *tempDir) varTmp() string { return filepath.Join(t.path, "var-tmp") }
