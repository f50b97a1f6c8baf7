package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/filelock"
)

// turnstile makes the writes of processes that share the database fair. SQLite
// only polls for its lock, so a process that writes without pause would take it
// again before any other wakes, and a stop in another process would wait for
// seconds. Before it writes, a process takes the gate lock, then the writer lock,
// and releases the gate when it has both. The last writer cannot pass a process
// that waits at the gate.
type turnstile struct {
	gate, writer *os.File
	most         time.Duration // that lock waits

	mu      sync.Mutex
	waiting *waiting // nil if no goroutine waits for the locks
}

// waiting is a goroutine that waits for the locks. The system call cannot be
// interrupted, so it continues when lock has given up, and serves the next call.
type waiting struct {
	got    chan error
	wanted bool // a call of lock waits for got
}

// mostWait is how long a process waits until it may write. A commit of another
// process takes milliseconds.
const mostWait = 15 * time.Second

func openTurnstile(dir string) (*turnstile, error) {
	t := &turnstile{most: mostWait}
	var err error
	if t.gate, err = openLock(dir, "gate.lock"); err == nil {
		t.writer, err = openLock(dir, "writer.lock")
	}
	return t, err
}

func openLock(dir, name string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_RDWR, 0o600)
}

// lock blocks until this process may write. The operating system releases the
// locks if the process dies. If another process has not released them in time, for
// example because it is suspended, lock returns an error that names the process.
func (t *turnstile) lock() error {
	t.mu.Lock()
	w := t.waiting
	if w == nil {
		if err := t.try(); !errors.Is(err, filelock.ErrHeld) {
			t.mu.Unlock()
			return err
		}
		w = &waiting{got: make(chan error, 1)}
		t.waiting = w
		go t.enter(w)
	}
	w.wanted = true
	t.mu.Unlock()
	timer := time.NewTimer(t.most)
	defer timer.Stop()
	select {
	case err := <-w.got:
		return err
	case <-timer.C:
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case err := <-w.got:
		return err
	default:
		w.wanted = false
		return t.held()
	}
}

// try takes the locks if no process has them.
func (t *turnstile) try() error {
	if err := filelock.TryLock(t.gate); err != nil {
		return err
	}
	return errors.Join(filelock.TryLock(t.writer), filelock.Unlock(t.gate))
}

// enter waits for the locks. If no call wants them anymore, it releases them.
func (t *turnstile) enter(w *waiting) {
	err := filelock.Wait(t.gate)
	if err == nil {
		err = errors.Join(filelock.Wait(t.writer), filelock.Unlock(t.gate))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = nil
	if err == nil && !w.wanted {
		_ = t.unlock() // it was not used
		return
	}
	w.got <- err
}

// held returns the error of a wait that took too long. It matches ErrStoreDown,
// because it is about no op of the commit.
func (t *turnstile) held() error {
	who, pid := "another process", filelock.Holder(t.writer)
	if pid == 0 {
		pid = filelock.Holder(t.gate)
	}
	if pid != 0 {
		who = fmt.Sprintf("process %d", pid)
	}
	const help = "wait until it has finished; if it is suspended, continue it or end it"
	return fmt.Errorf("%w: %s has held %s for more than %s: "+help,
		bellcord.ErrStoreDown, who, t.writer.Name(), t.most)
}

func (t *turnstile) unlock() error { return filelock.Unlock(t.writer) }

func (t *turnstile) closeFile() error {
	if t == nil {
		return nil
	}
	var err error
	for _, f := range []*os.File{t.gate, t.writer} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}
