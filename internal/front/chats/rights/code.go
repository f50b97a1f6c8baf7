package rights

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/bellcord/bellcord/internal/front/chats"
)

// Stranger is a person without access, as the platform describes them. People
// choose the names themselves; only printable characters are stored.
type Stranger struct {
	ID       chats.ID `json:"id"`
	Name     string   `json:"name,omitempty"`
	Username string   `json:"username,omitempty"`
}

// Limits for strangers.
const (
	codeLife      = time.Hour
	day           = 24 * time.Hour
	codesADay     = 3    // per stranger
	mostOpen      = 50   // open codes of all strangers
	mostStrangers = 1000 // stored for a day; the bot does not reply to further ones
)

// reply is the kind of reply that a stranger gets.
type reply int

const (
	silence reply = iota
	refusal
	invitation
)

// due returns the reply for a stranger that wrote to the bot. A stranger gets
// at most one reply an hour, and at most one refusal a day.
func (b *book) due(id chats.ID, pairing bool, now time.Time) reply {
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

// Invite returns a pairing code for a stranger that has just written to the bot.
// If the bool result is false, the bot must not reply, because the stranger
// already got a reply or may use the bot. The code is "" if pairing is off, or
// if this stranger or all strangers together have requested too many; otherwise
// it can be paired for one hour. It cannot be returned again, since only its
// hash is stored.
func (l *List) Invite(p chats.Person) (code string, tell bool, err error) {
	if _, in := l.Person(p.ID); in || !usable(p.ID) {
		return "", false, nil
	}
	now := time.Now()
	l.read(func(b *book) { // strangers often repeat themselves; this check avoids a write
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
			b.recordReply(p, code, now)
		}
		return tell
	})
	if err != nil {
		return "", false, err
	}
	return code, tell, nil
}

// recordReply records the reply to a stranger.
func (b *book) recordReply(p chats.Person, code string, now time.Time) {
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

// alphabet contains no characters that are easily confused: no 0 O, 1 I L, 2 Z,
// 5 S, 6 G, 8 B, U V.
const (
	alphabet   = "ACDEFHJKMNPQRTWXY3479"
	codeLength = 8
)

// draw returns a random code. All codes are equally likely.
func draw() string {
	const fair = 256 / len(alphabet) * len(alphabet)
	var code []byte
	for len(code) < codeLength {
		var random [1]byte
		_, _ = rand.Read(random[:]) // cannot fail: it would crash the program
		if int(random[0]) < fair {
			code = append(code, alphabet[int(random[0])%len(alphabet)])
		}
	}
	return string(code[:codeLength/2]) + "-" + string(code[codeLength/2:])
}

// hashOf returns the hash of a code, ignoring case, spaces and dashes.
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

// printable returns the part of a stranger's text that is safe to print on the
// owner's terminal, at most 64 characters.
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
