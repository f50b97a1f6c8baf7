package rights

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Stranger is one who may not use the bot, as Telegram describes them. Names
// are what they chose themselves: only what can be printed is kept of them.
type Stranger struct {
	ID       int64  `json:"id"`
	Name     string `json:"name,omitempty"`
	Username string `json:"username,omitempty"`
}

// Bounds of what strangers can ask for.
const (
	codeLife      = time.Hour
	day           = 24 * time.Hour
	codesADay     = 3    // for one stranger
	mostOpen      = 50   // codes of all strangers
	mostStrangers = 1000 // remembered for a day; further ones hear nothing
)

// reply is what a stranger is due.
type reply int

const (
	silence reply = iota
	refusal
	invitation
)

// due decides about a stranger who wrote: nobody is told twice within an hour,
// and one without a code not twice within a day.
func (b *book) due(id int64, pairing bool, now time.Time) reply {
	var s stranger
	if at := b.strangerAt(id); at >= 0 {
		s = b.Strangers[at]
	} else if len(b.Strangers) >= mostStrangers {
		return silence
	}
	switch {
	case now.Before(s.Told.Add(codeLife)):
		return silence
	case pairing && len(s.Codes) < codesADay && b.open(now) < mostOpen:
		return invitation
	case s.Refused:
		return silence
	}
	return refusal
}

// Code says what a stranger is told who has just written to the bot. When tell
// is false it is nothing: they were told already. The code is "" where pairing
// is off, or where this stranger or all of them together have asked too often;
// else it can be paired for an hour. It cannot be had again: only its hash is kept.
func (l *List) Code(p Stranger) (code string, tell bool, err error) {
	if _, in := l.Person(p.ID); in || !person(p.ID) {
		return "", false, nil
	}
	now := time.Now()
	l.read(func(b *book) { // most who are not let in write again: that shall not cost a write
		recent := book{Strangers: slices.Clone(b.Strangers)}
		recent.dropExpired(now)
		tell = recent.due(p.ID, l.pairing, now) != silence
	})
	if !tell {
		return "", false, nil
	}
	err = l.update(func(b *book) bool {
		b.dropExpired(now)
		what := b.due(p.ID, l.pairing, now)
		tell = what != silence && b.pairedAt(p.ID) < 0
		if tell && what == invitation {
			code = draw()
		}
		if tell {
			b.told(p, code, now)
		}
		return tell
	})
	if err != nil {
		return "", false, err
	}
	return code, tell, nil
}

// told notes what a stranger was told.
func (b *book) told(p Stranger, code string, now time.Time) {
	at := b.strangerAt(p.ID)
	if at < 0 {
		at = len(b.Strangers)
		b.Strangers = append(b.Strangers, stranger{})
	}
	s := &b.Strangers[at]
	s.Stranger = Stranger{ID: p.ID, Name: printable(p.Name), Username: printable(p.Username)}
	s.Told, s.Refused, s.Hash = now, code == "", ""
	if code != "" {
		s.Codes, s.Hash = append(s.Codes, now), hashOf(code)
	}
}

// alphabet has nothing that is read as something else: no 0 O, 1 I L, 2 Z, 5 S,
// 6 G, 8 B, U V.
const (
	alphabet   = "ACDEFHJKMNPQRTWXY3479"
	codeLength = 8
)

// draw makes a code, each with the same chance.
func draw() string {
	const fair = 256 / len(alphabet) * len(alphabet)
	var code []byte
	for len(code) < codeLength {
		var random [1]byte
		_, _ = rand.Read(random[:]) // never fails: it would end the program
		if int(random[0]) < fair {
			code = append(code, alphabet[int(random[0])%len(alphabet)])
		}
	}
	return string(code[:codeLength/2]) + "-" + string(code[codeLength/2:])
}

// hashOf a code, however it was typed.
func hashOf(code string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Dash, r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, code)
	sum := sha256.Sum256([]byte(plain))
	return hex.EncodeToString(sum[:])
}

// printable is what of a stranger's words is safe on an owner's terminal.
func printable(words string) string {
	const longest = 64
	safe := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, words))
	return string(safe[:min(len(safe), longest)])
}
