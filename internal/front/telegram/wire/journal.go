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
	// remembered is how many handled updates are known by number, so that they are
	// not taken for new ones. Telegram sends again what it does not know to have
	// arrived: the newest hundred at most.
	remembered = 1000
	// smallJournal is a size that is not worth tidying up.
	smallJournal = 1 << 20
)

var (
	errShut  = errors.New("the update journal is closed")
	errInUse = errors.New("in use by another process")
)

// record is an update as it came.
type record struct {
	id    int64
	at    time.Time
	raw   json.RawMessage
	place int // in the order of arrival
}

// line is one of the journal's file: an update, or the numbers of some that were
// handled.
type line struct {
	At      int64           `json:"at,omitempty"` // unix milliseconds
	Update  json.RawMessage `json:"update,omitempty"`
	Handled []int64         `json:"handled,omitempty"`
}

// journal holds updates until they are handled, on disk and in memory. All of its
// methods may be called by many at once.
type journal struct {
	path   string
	logger *slog.Logger
	wake   chan struct{} // has something in it after updates came
	lock   *os.File      // against a second process, which would replace the file under this one

	mu      sync.Mutex
	file    *os.File // nil when shut
	size    int
	tidyAt  int  // the size at which most of it is likely to be over
	torn    bool // the last line may be half there
	arrived int
	waiting map[int64]record
	fresh   []record // of those, what was not handed out yet
	past    []int64  // the newest that were handled, in that order
	known   map[int64]bool
}

// keep returns when all that is new among the records is on disk, and will be
// handed out.
func (j *journal) keep(records []record) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var lines []byte
	var fresh []record
	coming := map[int64]bool{}
	for _, r := range records {
		if j.known[r.id] || coming[r.id] {
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
	j.waiting[r.id], j.known[r.id] = r, true
	j.fresh = append(j.fresh, r)
}

// next takes the oldest update that was not handed out yet.
func (j *journal) next() (record, bool) {
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

// handled returns when it is on disk that an update is.
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

// markDone adds an update to those that are over, of which only the newest are
// known.
func (j *journal) markDone(id int64) {
	j.known[id] = true
	j.past = append(j.past, id)
	if len(j.past) > remembered {
		delete(j.known, j.past[0])
		j.past = j.past[1:]
	}
}

// appendLines appends lines and syncs. After a failure some of them may be in the file,
// which does no harm: an update that is there twice is one.
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
