package rights

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Paired is one whom the owner let in.
type Paired struct {
	ID       int64     `json:"id"`
	Name     string    `json:"name"` // that sessions and stops are theirs by
	Username string    `json:"username,omitempty"`
	At       time.Time `json:"at"`
}

// Waiting is a stranger with a code that can be paired.
type Waiting struct {
	Stranger
	Asked, Until time.Time
}

// What can be wrong with a pairing.
var (
	ErrNoCode     = errors.New("no such code, or it has expired")
	ErrPairingOff = errors.New("pairing is off")
	ErrNotPaired  = errors.New("not paired")
)

// mostWrong is how many wrong codes close all that are open.
const mostWrong = 10

// Pair lets in the stranger who was given a code, under a name; "" is
// telegram:NUMBER. Case, spaces and dashes of the code do not matter. A code is
// good once.
func (l *List) Pair(code, name string) (made Paired, err error) {
	if !l.pairing {
		return Paired{}, ErrPairingOff
	}
	if err := checkName(name); err != nil {
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
		made = b.admit(at, name, now)
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

// holder is where the stranger is whose code has this hash, below 0 when nobody
// has. It takes as long for a wrong code as for a right one.
func (b *book) holder(hash string, now time.Time) (at int) {
	at = -1
	for i, s := range b.Strangers {
		if s.open(now) && subtle.ConstantTimeCompare([]byte(s.Hash), []byte(hash)) == 1 {
			at = i
		}
	}
	return at
}

// miss counts a wrong code, and closes all when there were too many.
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

// admit makes a stranger one of the paired.
func (b *book) admit(at int, name string, now time.Time) Paired {
	s := b.Strangers[at]
	made := Paired{ID: s.ID, Name: named(name, s.ID), Username: s.Username, At: now}
	b.Strangers = slices.Delete(b.Strangers, at, at+1)
	b.Paired = slices.DeleteFunc(b.Paired, func(p Paired) bool { return p.ID == s.ID })
	b.Paired = append(b.Paired, made)
	b.Wrong = 0
	return made
}

// Unpair takes back a pairing, at once and in every process. Those whom the
// settings name stay.
func (l *List) Unpair(id int64) error {
	found := false
	err := l.update(func(b *book) bool {
		before := len(b.Paired)
		b.Paired = slices.DeleteFunc(b.Paired, func(p Paired) bool { return p.ID == id })
		found = len(b.Paired) < before
		return found
	})
	if err == nil && !found {
		return fmt.Errorf("%d: %w", id, ErrNotPaired)
	}
	return err
}
