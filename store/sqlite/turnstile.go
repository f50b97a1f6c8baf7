package sqlite

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/filelock"
)

// turnstile makes the writes of processes that share the database fair. SQLite
// only polls for its lock, so a process that writes without pause would take it
// again before any other wakes, and a stop in another process would wait for
// seconds. Before it writes, a process takes the gate lock, then the writer lock,
// and releases the gate when it has both. The last writer cannot pass a process
// that waits at the gate.
type turnstile struct{ gate, writer *os.File }

func openTurnstile(dir string) (turnstile, error) {
	var t turnstile
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
// locks if the process dies.
func (t turnstile) lock() error {
	if err := filelock.Wait(t.gate); err != nil {
		return err
	}
	return errors.Join(filelock.Wait(t.writer), filelock.Unlock(t.gate))
}

func (t turnstile) unlock() error { return filelock.Unlock(t.writer) }

func (t turnstile) closeFile() error {
	var err error
	for _, f := range []*os.File{t.gate, t.writer} {
		if f != nil {
			err = errors.Join(err, f.Close())
		}
	}
	return err
}
