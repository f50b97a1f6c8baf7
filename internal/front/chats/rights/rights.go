// Package rights decides which people may use the bot of a chat platform: the
// people listed in the settings, and those paired by the bot's owner with a code.
// It fails closed: if a file or setting is missing, broken or empty, no additional
// access is granted. A List implements chats.Rights for every platform.
//
// Paired people and open codes are stored in a file that several processes may
// change concurrently. No change is lost, and each process sees the changes of
// the others at once.
package rights

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
)

// Config contains the settings of a List.
type Config struct {
	Platform string              // name of the platform; generated names begin with it, in lower case
	People   map[chats.ID]string // by user ID: the name that owns their sessions and stops; "" for platform:ID
	Groups   map[chats.ID]string // by group ID, named likewise: groups in which listed people may use the bot

	Pairing bool   // strangers receive a code that the owner can approve
	File    string // stores paired people and open codes; "" keeps them in memory, where no other process can pair
}

// List decides which people may use the bot. Its methods are safe for
// concurrent use. Methods that only read do not wait for a write to the file.
type List struct {
	prefix         string // of generated names
	people, groups map[chats.ID]string
	pairing        bool
	file           string

	writing sync.Mutex // held while the file is changed

	mu       sync.Mutex
	book     book      // as last read
	modified time.Time // modification time of the file when it was last read; zero if it is too recent to rely on
	size     int64
}

var _ chats.Rights = (*List)(nil)

// Open returns a List. It creates the file's directory, and fails if the
// settings are invalid or the file cannot be read.
func Open(c Config) (*List, error) {
	l := &List{
		prefix: strings.ToLower(c.Platform) + ":", people: maps.Clone(c.People), groups: maps.Clone(c.Groups),
		pairing: c.Pairing, file: c.File,
	}
	if err := l.validate(); err != nil {
		return nil, fmt.Errorf("%s %w", l.prefix, err)
	}
	if l.file == "" {
		return l, nil
	}
	if err := os.MkdirAll(filepath.Dir(l.file), 0o700); err != nil {
		return nil, fmt.Errorf("create the directory for paired users: %w", err)
	}
	if _, err := load(l.file); err != nil {
		return nil, err
	}
	return l, nil
}

// Person returns the name of a user and reports whether they may use the bot.
func (l *List) Person(id chats.ID) (name string, ok bool) {
	if !usable(id) {
		return "", false
	}
	if name, ok = l.people[id]; ok {
		return l.named(name, id), true
	}
	l.read(func(b *book) {
		if at := b.pairedAt(id); at >= 0 {
			name, ok = b.Paired[at].Name, true
		}
	})
	return name, ok
}

// Group returns the name of a group and reports whether listed people may use
// the bot there.
func (l *List) Group(id chats.ID) (name string, ok bool) {
	if name, ok = l.groups[id]; !ok {
		return "", false
	}
	return l.named(name, id), true
}

// Paired returns the paired people, the earliest pairing first.
func (l *List) Paired() (all []Paired) {
	l.read(func(b *book) { all = slices.Clone(b.Paired) })
	return all
}

// Waiting returns the strangers with an open code, the oldest code first.
func (l *List) Waiting() (all []Waiting) {
	now := time.Now()
	l.read(func(b *book) {
		for _, s := range b.Strangers {
			if s.open(now) {
				all = append(all, Waiting{Stranger: s.Stranger, Requested: s.Told, Until: s.Told.Add(codeLife)})
			}
		}
	})
	slices.SortFunc(all, func(a, b Waiting) int { return a.Requested.Compare(b.Requested) })
	return all
}

// settled is the age at which a file's modification time is reliable: a later
// change is sure to have another time. The coarsest file systems count in steps
// of 2 s.
const settled = 3 * time.Second

// read passes the content of the file, reloaded if it has changed, to the given
// function. A file that cannot be read counts as empty. The lock is held during
// the call.
func (l *List) read(look func(*book)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == "" {
		look(&l.book)
		return
	}
	now := time.Now()
	info, err := os.Stat(l.file)
	if err == nil && !l.modified.IsZero() && info.ModTime().Equal(l.modified) && info.Size() == l.size {
		look(&l.book)
		return
	}
	l.modified, l.book = time.Time{}, book{}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		look(&l.book)
		return
	}
	if l.book, err = load(l.file); err != nil {
		l.book = book{}
	} else if info != nil && now.Sub(info.ModTime()) > settled {
		l.modified, l.size = info.ModTime(), info.Size()
	}
	look(&l.book)
}
