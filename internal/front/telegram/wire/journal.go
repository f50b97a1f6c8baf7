package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/filelock"
)

const (
	// remembered is how many IDs of handled updates are kept to recognize
	// repetitions. Telegram only repeats unconfirmed updates: the newest
	// hundred at most.
	remembered = 1000
	// smallJournal is the size in bytes below which the journal is not
	// compacted.
	smallJournal = 1 << 20
)

var (
	errShut  = errors.New("the update journal is closed")
	errInUse = errors.New("in use by another process")
)

// record is an update as received.
type record struct {
	id    int64
	at    time.Time
	raw   json.RawMessage
	place int // position in the order of arrival
}

// line is a line of the journal file: an update, or the IDs of handled updates.
type line struct {
	At      int64           `json:"at,omitempty"` // unix milliseconds
	Update  json.RawMessage `json:"update,omitempty"`
	Handled []int64         `json:"handled,omitempty"`
}

// journal stores updates, on disk and in memory, until they are handled. Its
// methods are safe for concurrent use.
type journal struct {
	path   string
	logger *slog.Logger
	wake   chan struct{} // has an element after new updates were added
	lock   *os.File      // keeps out a second process, which would replace the file

	mu      sync.Mutex
	file    *os.File // nil if closed
	size    int
	tidyAt  int  // the size at which to compact; most of the file is then likely obsolete
	torn    bool // the last line may be incomplete
	arrived int
	waiting map[int64]record
	fresh   []record // the waiting records that were not delivered yet
	past    []int64  // the newest handled IDs, oldest first
	seen    map[int64]bool
}

// keep returns when all new records are on disk and ready for delivery. Records
// with an ID that the journal already has are ignored.
func (j *journal) keep(records []record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var lines []byte
	var fresh []record
	coming := map[int64]bool{}
	for _, r := range records {
		if j.seen[r.id] || coming[r.id] {
			continue
		}
		coming[r.id] = true
		lines = append(lines, encode(line{At: r.at.UnixMilli(), Update: r.raw})...)
		fresh = append(fresh, r)
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := j.appendLines(lines); err != nil {
		return err
	}
	for _, r := range fresh {
		j.addRecord(r)
	}
	select {
	case j.wake <- struct{}{}:
	default:
	}
	j.tidy()
	return nil
}

func (j *journal) addRecord(r record) {
	r.place = j.arrived
	j.arrived++
	j.waiting[r.id], j.seen[r.id] = r, true
	j.fresh = append(j.fresh, r)
}

// nextRecord removes and returns the oldest undelivered update.
func (j *journal) nextRecord() (record, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.fresh) > 0 {
		r := j.fresh[0]
		j.fresh = j.fresh[1:]
		if _, waits := j.waiting[r.id]; waits {
			return r, true
		}
	}
	return record{}, false
}

// handled returns when the mark for update id is on disk. It ignores IDs that
// are not waiting.
func (j *journal) handled(id int64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, waits := j.waiting[id]; !waits {
		return nil
	}
	if err := j.appendLines(encode(line{Handled: []int64{id}})); err != nil {
		return err
	}
	delete(j.waiting, id)
	j.markDone(id)
	j.tidy()
	return nil
}

// markDone records id as handled and drops the oldest handled ID beyond the
// limit.
func (j *journal) markDone(id int64) {
	j.seen[id] = true
	j.past = append(j.past, id)
	if len(j.past) > remembered {
		delete(j.seen, j.past[0])
		j.past = j.past[1:]
	}
}

// appendLines appends lines to the file and syncs it. After a failure some of
// them may be in the file. This is harmless: load ignores repeated updates.
func (j *journal) appendLines(lines []byte) error {
	if j.file == nil {
		return errShut
	}
	if j.torn {
		lines = append([]byte{'\n'}, lines...)
	}
	n, err := j.file.Write(lines)
	j.size += n
	if err == nil {
		err = j.file.Sync()
	}
	j.torn = err != nil
	if err != nil {
		return fmt.Errorf("write update journal: %w", err)
	}
	return nil
}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.lock == nil {
		return nil
	}
	err := filelock.Release(j.lock)
	if j.file != nil {
		err = errors.Join(j.file.Close(), err)
	}
	j.file, j.lock = nil, nil
	if err != nil {
		return fmt.Errorf("close update journal: %w", err)
	}
	return nil
}
