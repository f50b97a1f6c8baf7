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
	"slices"
	"time"

	"github.com/bellcord/bellcord/internal/durable"
	"github.com/bellcord/bellcord/internal/filelock"
)

// openJournal locks and loads the journal of an earlier process, and rewrites
// it without obsolete lines. It fails with errInUse if another process holds
// the lock.
func openJournal(path string, logger *slog.Logger) (*journal, error) {
	j := &journal{
		path: path, logger: logger, wake: make(chan struct{}, 1),
		waiting: map[int64]record{}, seen: map[int64]bool{},
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

// load adds the updates and marks in data, and returns the number of unreadable
// lines. Such a line was never synced, so Telegram sends its updates again.
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
		if !over[r.id] && !j.seen[r.id] {
			j.addRecord(r)
		}
	}
	return lost
}

// tidy rewrites the journal when it is four times as large as after the last
// rewrite. A failure is only logged.
func (j *journal) tidy() {
	if j.size < j.tidyAt {
		return
	}
	if err := j.rewrite(); err != nil {
		j.logger.Warn("compacting the telegram update journal failed", "err", err)
	}
}

// rewrite replaces the file with one that has only current lines. The
// replacement is atomic: a complete file exists under j.path at any time.
func (j *journal) rewrite() error {
	next := j.path + ".new"
	content := j.encoded()
	if err := writeSynced(next, content); err != nil {
		return fmt.Errorf("compact update journal: %w", err)
	}
	if j.file != nil {
		_ = j.file.Close() // everything is synced; Windows cannot replace an open file
		j.file = nil
	}
	renamed := os.Rename(next, j.path)
	if renamed == nil {
		renamed = durable.SyncDir(filepath.Dir(j.path))
		j.size, j.tidyAt, j.torn = len(content), max(smallJournal, 4*len(content)), false
	}
	var err error
	j.file, err = os.OpenFile(j.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err := errors.Join(renamed, err); err != nil {
		return fmt.Errorf("compact update journal: %w", err)
	}
	return nil
}

// encoded returns the journal's current content: the handled IDs, then the
// waiting updates in the order of arrival.
func (j *journal) encoded() []byte {
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

// encode returns l as one line. JSON contains no newlines.
func encode(l line) []byte {
	out, err := json.Marshal(l)
	if err != nil {
		panic(err) // cannot happen: the update was parsed before
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
