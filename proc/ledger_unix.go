//go:build linux || darwin

package proc

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// ledger is one keeper's part of the ledger: a lock file, locked for as long as
// the keeper lives, and one file for each running command.
type ledger struct {
	dir, id string
	lock    *os.File
}

const lockEnding, entryEnding = ".lock", ".json"

// openLedger creates this keeper's part of the ledger.
func openLedger(dir string) (*ledger, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for range 10 {
		l := &ledger{dir: dir, id: randomID()}
		var err error
		l.lock, err = lockFile(l.path(lockEnding), true)
		if err == nil {
			return l, l.sign()
		}
		if !errors.Is(err, errHeld) {
			return nil, err
		}
		// Another keeper that is opening locked the new file first, as if it
		// belonged to a dead keeper. Retry with a new one.
	}
	return nil, errHeld
}

// sign writes the identity of this process to the lock file, for OfATurn.
func (l *ledger) sign() error {
	self, _ := read(os.Getpid())
	data, err := json.Marshal(entry{PID: self.pid, Start: self.start, Place: place()})
	if err == nil {
		_, err = l.lock.Write(data)
	}
	return err
}

func (l *ledger) path(ending string) string { return filepath.Join(l.dir, l.id+ending) }

func (l *ledger) entryPath(name string) string { return l.path("-" + name + entryEnding) }

// writeEntry replaces an entry atomically: after a crash, the file contains
// either the old entry or the new one. It is not synced, because a crash of the
// machine ends the processes as well.
func (l *ledger) writeEntry(name string, e entry) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	path := l.entryPath(name)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (l *ledger) erase(name string) { _ = os.Remove(l.entryPath(name)) }

// close closes this keeper's part. If entries of survivors remain, the lock
// file stays, unlocked, and the next Open tries to end the survivors again.
func (l *ledger) close() error {
	if len(l.entries()) == 0 {
		_ = os.Remove(l.path(lockEnding))
	}
	return l.lock.Close()
}

func (l *ledger) entries() map[string]entry {
	all := make(map[string]entry)
	names, _ := filepath.Glob(l.path("-*" + entryEnding))
	for _, name := range names {
		var e entry
		data, err := os.ReadFile(name)
		if err == nil && json.Unmarshal(data, &e) == nil {
			short := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), l.id+"-"), entryEnding)
			all[short] = e
		}
	}
	return all
}

// reap ends the processes of dead keepers and returns them. Each dead keeper is
// handled by only one of the keepers that are opening.
func (l *ledger) reap(opts Options) []Ended {
	var reaped []Ended
	names, _ := filepath.Glob(filepath.Join(l.dir, "*"+lockEnding))
	for _, name := range names {
		dead := &ledger{dir: l.dir, id: strings.TrimSuffix(filepath.Base(name), lockEnding)}
		if dead.id == l.id {
			continue
		}
		var err error
		if dead.lock, err = lockFile(name, false); err != nil {
			continue // that keeper is alive, or another keeper is reaping it
		}
		reaped = append(reaped, dead.bury(opts)...)
	}
	return reaped
}

// bury ends all processes of a dead keeper concurrently, and removes its part
// of the ledger.
func (l *ledger) bury(opts Options) []Ended {
	var mu sync.Mutex
	var reaped []Ended
	var all sync.WaitGroup
	for name, e := range l.entries() {
		if e.Place != place() { // another boot or a container that is gone: the processes are gone too
			l.erase(name)
			continue
		}
		all.Go(func() {
			p := recall(e)
			r := ladder(p, opts.Grace, nil)
			p.leave()
			if len(r.Survivors) == 0 {
				l.erase(name)
			} else {
				opts.Logger.Warn("processes of a dead bellcord process could not be ended", "owner", e.Owner, "survivors", r.Survivors)
			}
			mu.Lock()
			defer mu.Unlock()
			reaped = append(reaped, own(r.Ended, e.Owner)...)
		})
	}
	all.Wait()
	torn, _ := filepath.Glob(l.path("-*.new"))
	for _, name := range torn {
		_ = os.Remove(name)
	}
	if err := l.close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		opts.Logger.Warn("cannot close the process ledger of a dead bellcord process", "err", err)
	}
	return reaped
}
