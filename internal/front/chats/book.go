package chats

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/durable"
)

// book stores what the front needs after a restart: the session of each chat,
// and what was sent of turns that are not shown completely. The file is
// rewritten in the background after each change. A crash can lose the newest
// changes; a message is then sent twice at worst.
type book struct {
	path string

	mu      sync.Mutex
	records map[spot]record
	stale   bool
	writing bool
	still   sync.WaitGroup
	failed  error
}

// record is the stored state of a chat.
type record struct {
	Place   Place              `json:"place"`
	Owner   string             `json:"owner"`
	Session bellcord.SessionID `json:"session,omitempty"`
	Choice  choice             `json:"choice,omitzero"`
	Open    []following        `json:"open,omitempty"`
	Undo    []undoButton       `json:"undo,omitempty"`
}

// undoButton is a message with an Undo button.
type undoButton struct {
	Session bellcord.SessionID `json:"session"`
	Turn    bellcord.TurnID    `json:"turn"`
	Message ID                 `json:"message"`
}

// following is the stored state of a log that is being shown.
type following struct {
	Session bellcord.SessionID          `json:"session"`
	After   int64                       `json:"after"`
	Turns   map[bellcord.TurnID]keeping `json:"turns"`
}

// keeping describes what was sent of a turn.
type keeping struct {
	Messages []ID `json:"messages,omitempty"`
	Flushed  int  `json:"flushed,omitempty"`
	Live     ID   `json:"live,omitempty"`
}

func openBook(path string) (*book, error) {
	b := &book{path: path, records: map[spot]record{}}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	} else if err != nil {
		return nil, err
	}
	var records []record
	if err := json.Unmarshal(text, &records); err != nil {
		return nil, fmt.Errorf("read chats from %s: %w", path, err)
	}
	for _, r := range records {
		b.records[at(r.Place)] = r
	}
	return b, nil
}

func (b *book) find(where spot) (record, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r, known := b.records[where]
	return r, known
}

func (b *book) all() []record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.allRecords()
}

func (b *book) allRecords() []record {
	all := make([]record, 0, len(b.records))
	for _, r := range b.records {
		all = append(all, r)
	}
	return all
}

// put stores the state of a chat. It does not wait for the file.
func (b *book) put(r record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records[at(r.Place)] = r
	b.stale = true
	if !b.writing {
		b.writing = true
		b.still.Go(b.writeFile)
	}
}

func (b *book) writeFile() {
	for {
		b.mu.Lock()
		if !b.stale {
			b.writing = false
			b.mu.Unlock()
			return
		}
		b.stale = false
		all := b.allRecords()
		b.mu.Unlock()
		err := b.save(all)
		b.mu.Lock()
		b.failed = err
		b.mu.Unlock()
	}
}

func (b *book) save(all []record) error {
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return durable.Replace(b.path, text)
}

// closeBook waits for the last write and returns its error.
func (b *book) closeBook() error {
	b.still.Wait()
	return b.failed
}
