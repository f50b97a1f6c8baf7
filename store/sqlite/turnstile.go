package sqlite

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/filelock"
)

// turnstile lets the processes that share the database write in turn. SQLite
// itself only polls: a process that writes without pause would take the lock
// anew before any other wakes, and a stop from there would wait for seconds.
// Here whoever wants to write waits at the gate, then for the writer, and
// leaves the gate only once it writes; the last writer finds the gate taken.
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

// lock returns when it is this process's turn to write. The system undoes it
// should the process die.
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
