// Package rights says who may use a Telegram bot: the people whom the settings
// name, and those whom the bot's owner has paired by a code. It fails closed:
// nobody else may, whatever is missing, broken or empty.
//
// Paired people and open codes are in a file that several processes may change
// at the same time: no change is lost, and each sees the others' at once.
package rights

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Config is what the settings say.
type Config struct {
	People map[int64]string // by number: the name that sessions and stops are theirs by; "" is telegram:NUMBER
	Groups map[int64]string // where listed people may use the bot, named likewise; none unless said

	Pairing bool   // strangers get a code that the owner can approve
	File    string // of paired people and open codes; "" keeps them in memory, where nobody else can pair
}

// List is who may use the bot. Its methods may be called at any time from any
// goroutine. Those that only look never wait for one that writes.
type List struct {
	people, groups map[int64]string
	pairing        bool
	file           string

	writing sync.Mutex // held by the one that changes the file

	mu   sync.Mutex
	book book      // as of the last reading
	seen time.Time // when the file was changed last, as of then; zero when that is not to be relied on
	size int64
}

// Open makes sure that the file can be read, and that its directory is there.
func Open(c Config) (*List, error) {
	l := &List{people: maps.Clone(c.People), groups: maps.Clone(c.Groups), pairing: c.Pairing, file: c.File}
	if err := l.validate(); err != nil {
		return nil, fmt.Errorf("telegram: %w", err)
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

// Person returns the name of one who may use the bot.
func (l *List) Person(id int64) (name string, ok bool) {
	if !person(id) {
		return "", false
	}
	if name, ok = l.people[id]; ok {
		return named(name, id), true
	}
	l.read(func(b *book) {
		if at := b.pairedAt(id); at >= 0 {
			name, ok = b.Paired[at].Name, true
		}
	})
	return name, ok
}

// Group returns the name of a group where people who may use the bot may do so.
func (l *List) Group(id int64) (name string, ok bool) {
	if name, ok = l.groups[id]; !ok {
		return "", false
	}
	return named(name, id), true
}

// Paired returns those who were paired and not unpaired since, the first first.
func (l *List) Paired() (all []Paired) {
	l.read(func(b *book) { all = slices.Clone(b.Paired) })
	return all
}

// Waiting returns the strangers whose codes can be paired now, the first first.
func (l *List) Waiting() (all []Waiting) {
	now := time.Now()
	l.read(func(b *book) {
		for _, s := range b.Strangers {
			if s.open(now) {
				all = append(all, Waiting{Stranger: s.Stranger, Asked: s.Told, Until: s.Told.Add(codeLife)})
			}
		}
	})
	slices.SortFunc(all, func(a, b Waiting) int { return a.Asked.Compare(b.Asked) })
	return all
}

// settled is how old a change has to be before a later one is sure to have
// another time: file systems count in steps, the coarsest of 2 s.
const settled = 3 * time.Second

// read looks at the file's content, which is read again when it has changed.
// What cannot be read has nobody in it.
func (l *List) read(look func(*book)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == "" {
		look(&l.book)
		return
	}
	now := time.Now()
	info, err := os.Stat(l.file)
	if err == nil && !l.seen.IsZero() && info.ModTime().Equal(l.seen) && info.Size() == l.size {
		look(&l.book)
		return
	}
	l.seen, l.book = time.Time{}, book{}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		look(&l.book)
		return
	}
	if l.book, err = load(l.file); err != nil {
		l.book = book{}
	} else if info != nil && now.Sub(info.ModTime()) > settled {
		l.seen, l.size = info.ModTime(), info.Size()
	}
	look(&l.book)
}
