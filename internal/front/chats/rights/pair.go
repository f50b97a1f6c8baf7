package rights

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/bellcord/bellcord/internal/front/chats"
)

// Paired is a person that the owner has paired.
type Paired struct {
	ID       chats.ID  `json:"id"`
	Name     string    `json:"name"` // owns their sessions and stops
	Username string    `json:"username,omitempty"`
	At       time.Time `json:"at"`
}

// Waiting is a stranger with an open code.
type Waiting struct {
	Stranger
	Requested, Until time.Time
}

// Errors returned by Pair and Unpair.
var (
	ErrNoCode     = errors.New("no such code, or it has expired")
	ErrPairingOff = errors.New("pairing is off")
	ErrNotPaired  = errors.New("not paired")
)

// mostWrong is the number of wrong codes after which all open codes are closed.
const mostWrong = 10

// Pair gives access to the stranger with this code, under a name; "" means
// platform:ID. Case, spaces and dashes of the code are ignored. A code works
// once. Pair returns ErrPairingOff if pairing is off and ErrNoCode for a wrong
// or expired code.
func (l *List) Pair(code, name string) (made Paired, err error) {
	if !l.pairing {
		return Paired{}, ErrPairingOff
	}
	if err := l.checkName(name); err != nil {
		return Paired{}, err
	}
	now, closed, found := time.Now(), false, false
	err = l.update(func(b *book) bool {
		b.dropExpired(now)
		at := b.holder(hashOf(code), now)
		if found = at >= 0; !found {
			closed = b.miss(now)
			return true
		}
		made = b.admit(at, l.named(name, b.Strangers[at].ID), now)
		return true
	})
	switch {
	case err != nil:
		return Paired{}, err
	case closed:
		return Paired{}, fmt.Errorf("%w; after %d wrong codes, all open codes were closed", ErrNoCode, mostWrong)
	case !found:
		return Paired{}, ErrNoCode
	}
	return made, nil
}

// holder returns the index of the stranger with an open code of this hash, or
// -1. Hashes are compared in constant time.
func (b *book) holder(hash string, now time.Time) (at int) {
	at = -1
	for i, s := range b.Strangers {
		if s.open(now) && subtle.ConstantTimeCompare([]byte(s.Hash), []byte(hash)) == 1 {
			at = i
		}
	}
	return at
}

// miss counts a wrong code and, after too many, closes all open codes.
func (b *book) miss(now time.Time) (closed bool) {
	if b.open(now) == 0 {
		return false
	}
	if b.Wrong++; b.Wrong < mostWrong {
		return false
	}
	for i := range b.Strangers {
		b.Strangers[i].Hash = ""
	}
	b.Wrong = 0
	return true
}

// admit moves a stranger to the paired people.
func (b *book) admit(at int, name string, now time.Time) Paired {
	s := b.Strangers[at]
	made := Paired{ID: s.ID, Name: name, Username: s.Username, At: now}
	b.Strangers = slices.Delete(b.Strangers, at, at+1)
	b.Paired = slices.DeleteFunc(b.Paired, func(p Paired) bool { return p.ID == s.ID })
	b.Paired = append(b.Paired, made)
	b.Wrong = 0
	return made
}

// Unpair revokes a pairing, immediately and in every process. It does not
// affect people listed in the settings. It returns ErrNotPaired if the person
// is not paired.
func (l *List) Unpair(id chats.ID) error {
	found := false
	err := l.update(func(b *book) bool {
		before := len(b.Paired)
		b.Paired = slices.DeleteFunc(b.Paired, func(p Paired) bool { return p.ID == id })
		found = len(b.Paired) < before
		return found
	})
	if err == nil && !found {
		return fmt.Errorf("%s: %w", id, ErrNotPaired)
	}
	return err
}
