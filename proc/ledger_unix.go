//go:build linux || darwin

package proc

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
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
func openLedger(dir, label string) (*ledger, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for range 10 {
		l := &ledger{dir: dir, id: randomID()}
		var err error
		l.lock, err = lockFile(l.path(lockEnding), true)
		if err == nil {
			return l, l.sign(label)
		}
		if !errors.Is(err, errHeld) {
			return nil, err
		}
		// Another keeper that is opening locked the new file first, as if it
		// belonged to a dead keeper. Retry with a new one.
	}
	return nil, errHeld
}

// sign writes the identity of this process to the lock file, for OfATurn and for
// the keeper that reaps this one.
func (l *ledger) sign(label string) error {
	self, _ := read(os.Getpid())
	data, err := json.Marshal(entry{PID: self.pid, Start: self.start, Place: place(), Name: label})
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

// filesIn returns the paths of the files whose names begin and end with the given
// texts. It is not filepath.Glob, for which a directory with a [ is a bad pattern.
func filesIn(dir, beginning, ending string) []string {
	entries, _ := os.ReadDir(dir) // a directory that does not exist has no files
	var all []string
	for _, e := range entries {
		name := e.Name()
		if rest, is := strings.CutPrefix(name, beginning); is && strings.HasSuffix(rest, ending) {
			all = append(all, filepath.Join(dir, name))
		}
	}
	return all
}

func (l *ledger) entries() map[string]entry {
	all := make(map[string]entry)
	for _, name := range filesIn(l.dir, l.id+"-", entryEnding) {
		var e entry
		data, err := os.ReadFile(name)
		if err == nil && json.Unmarshal(data, &e) == nil {
			short := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), l.id+"-"), entryEnding)
			all[short] = e
		}
	}
	return all
}

// results returns the results in the entries.
func (l *ledger) results() []Recovery {
	var all []Recovery
	for _, e := range l.entries() {
		if e.Report != nil {
			all = append(all, e.recovery())
		}
	}
	return all
}

// reap ends the processes of dead keepers. Each dead keeper is handled by only
// one of the keepers that are opening. Parts in held belong to this keeper
// already.
func (l *ledger) reap(opts Options, held map[string]bool) found {
	var f found
	for _, name := range filesIn(l.dir, "", lockEnding) {
		one := &ledger{dir: l.dir, id: strings.TrimSuffix(filepath.Base(name), lockEnding)}
		if one.id == l.id || held[one.id] {
			continue
		}
		var err error
		if one.lock, err = lockFile(name, false); err != nil {
			f.elsewhere = f.elsewhere || one.isOfDead()
			continue
		}
		f.labels = append(f.labels, one.signature().Name)
		f.ended = append(f.ended, one.bury(opts)...)
		if opts.KeepReports && len(one.results()) > 0 {
			f.held = append(f.held, one)
		} else if err := one.close(); err != nil {
			opts.Logger.Warn("cannot close the process ledger of a dead bellcord process", "err", err)
		}
	}
	return f
}

// alone reports whether all other parts of the ledger are among the dead ones. It is
// false if the ledger cannot be read: then it does not even list its own part.
func (l *ledger) alone(dead map[string]bool) bool {
	names := filesIn(l.dir, "", lockEnding)
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		id := strings.TrimSuffix(filepath.Base(name), lockEnding)
		return id != l.id && !dead[id]
	})
}

// signature returns what the keeper wrote to its lock file.
func (l *ledger) signature() entry {
	var signed entry
	if data, err := os.ReadFile(l.path(lockEnding)); err == nil {
		_ = json.Unmarshal(data, &signed) // otherwise the keeper died before it signed
	}
	return signed
}

// isOfDead reports whether the process that signed the lock file has died.
func (l *ledger) isOfDead() bool {
	signed := l.signature()
	if signed.PID == 0 || signed.Place != place() {
		return false
	}
	now, exists := read(signed.PID)
	return !exists || now.dead || now.ident != ident{signed.PID, signed.Start}
}

// bury ends all processes of a dead keeper concurrently, and returns them. It
// keeps the result in the entry, or removes the entry.
func (l *ledger) bury(opts Options) []Ended {
	var mu sync.Mutex
	var reaped []Ended
	var all sync.WaitGroup
	for name, e := range l.entries() {
		all.Go(func() {
			ended := l.endEntry(name, &e, opts)
			if len(e.Report.Survivors) > 0 {
				opts.Logger.Warn("processes of a dead bellcord process could not be ended", "owner", e.Owner, "survivors", e.Report.Survivors)
			}
			switch {
			case opts.KeepReports:
				l.keep(name, e, opts)
			case len(e.Report.Survivors) == 0:
				l.erase(name)
			}
			mu.Lock()
			defer mu.Unlock()
			reaped = append(reaped, ended...)
		})
	}
	all.Wait()
	for _, name := range filesIn(l.dir, l.id+"-", ".new") {
		_ = os.Remove(name)
	}
	return reaped
}

// endEntry ends the processes of an entry, unless an earlier attempt has, and
// sets its Report. It returns the processes that it has ended now.
func (l *ledger) endEntry(name string, e *entry, opts Options) []Ended {
	switch {
	case e.Report != nil && len(e.Report.Survivors) == 0:
		return nil // it was not recorded
	case e.Place != place(): // another boot or a container that is gone: the processes are gone too
		e.Report, e.Gone = &Report{}, GoneWithContainer
		e.Attempts++
		if boot, _, _ := strings.Cut(place(), " "); !strings.HasPrefix(e.Place, boot) {
			e.Gone = GoneWithBoot
		}
		return nil
	}
	p := recall(*e)
	if opts.KeepReports { // if this process dies, too, the next one names what it has ended
		for _, m := range p.scan() {
			if !m.helper && !has(e.Found, m.pid) {
				e.Found = append(e.Found, Ended{PID: m.pid, Name: m.name})
			}
		}
		l.keep(name, *e, opts)
	}
	r := ladder(p, opts.Grace, nil)
	p.leave()
	for _, f := range e.Found {
		if !has(r.Ended, f.PID) && !has(r.Survivors, f.PID) {
			r.Ended = append(r.Ended, f)
		}
	}
	own(r.Ended, e.Owner)
	own(r.Survivors, e.Owner)
	e.Report, e.Found, e.Attempts = &r, nil, e.Attempts+1
	return r.Ended
}

func has(list []Ended, pid int) bool {
	return slices.ContainsFunc(list, func(e Ended) bool { return e.PID == pid })
}

func (l *ledger) keep(name string, e entry, opts Options) {
	if err := l.writeEntry(name, e); err != nil {
		opts.Logger.Warn("cannot write the process ledger", "owner", e.Owner, "err", err)
	}
}
