package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/bellcord/bellcord/internal/filelock"
)

// openJournal reads what an earlier process left, and writes it anew without what
// is over.
func openJournal(path string, logger *slog.Logger) (*journal, error) {
	j := &journal{
		path: path, logger: logger, wake: make(chan struct{}, 1),
		waiting: map[int64]record{}, known: map[int64]bool{},
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("create the directory for the update journal: %w", err)
	}
	var err error
	if j.lock, err = filelock.Try(path + ".lock"); errors.Is(err, filelock.ErrHeld) {
		err = errInUse
	}
	if err != nil {
		return nil, fmt.Errorf("open update journal: %w", err)
	}
	if err := j.open(); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

func (j *journal) open() error {
	data, err := os.ReadFile(j.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read update journal: %w", err)
	}
	if lost := j.load(data); lost > 0 {
		j.logger.Warn("skipped incomplete lines in the telegram update journal; they were being written when the process ended", "lines", lost)
	}
	return j.rewrite()
}

// load takes over what lines say, and counts those that say nothing. Such a line
// was never synced, so Telegram sends again what was in it.
func (j *journal) load(data []byte) (lost int) {
	var updates []record
	over := map[int64]bool{}
	for text := range bytes.Lines(data) {
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		var l line
		err := json.Unmarshal(text, &l)
		id := numberOf(l.Update)
		if err != nil || id == 0 && len(l.Handled) == 0 {
			lost++
			continue
		}
		if id != 0 {
			updates = append(updates, record{id: id, at: time.UnixMilli(l.At), raw: l.Update})
		}
		for _, id := range l.Handled {
			if !over[id] {
				over[id] = true
				j.markDone(id)
			}
		}
	}
	for _, r := range updates {
		if !over[r.id] && !j.known[r.id] {
			j.addRecord(r)
		}
	}
	return lost
}

// tidy writes the journal anew when it is four times as long as it was the last
// time. A failure leaves the old one in place.
func (j *journal) tidy() {
	if j.size < j.tidyAt {
		return
	}
	if err := j.rewrite(); err != nil {
		j.logger.Warn("compacting the telegram update journal failed", "err", err)
	}
}

// rewrite replaces the file by one with only what matters. At every moment a
// whole one is there under its name.
func (j *journal) rewrite() error {
	next := j.path + ".new"
	whole := j.whole()
	if err := writeSynced(next, whole); err != nil {
		return fmt.Errorf("compact update journal: %w", err)
	}
	if j.file != nil {
		_ = j.file.Close() // all of it was synced; Windows renames no open file
		j.file = nil
	}
	renamed := os.Rename(next, j.path)
	if renamed == nil {
		renamed = syncDir(filepath.Dir(j.path))
		j.size, j.tidyAt, j.torn = len(whole), max(smallJournal, 4*len(whole)), false
	}
	var err error
	j.file, err = os.OpenFile(j.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err := errors.Join(renamed, err); err != nil {
		return fmt.Errorf("compact update journal: %w", err)
	}
	return nil
}

// whole is what a journal has to hold.
func (j *journal) whole() []byte {
	var out []byte
	if len(j.past) > 0 {
		out = append(out, encode(line{Handled: j.past})...)
	}
	byArrival := func(a, b record) int { return cmp.Compare(a.place, b.place) }
	for _, r := range slices.SortedFunc(maps.Values(j.waiting), byArrival) {
		out = append(out, encode(line{At: r.at.UnixMilli(), Update: r.raw})...)
	}
	return out
}

// encode makes a line of its own of anything: JSON has no newline in it.
func encode(l line) []byte {
	out, err := json.Marshal(l)
	if err != nil {
		panic(err) // an update that was read before is JSON
	}
	return append(out, '\n')
}

func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncDir makes a rename last. Windows has no such thing.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
