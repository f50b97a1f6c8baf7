package bellcord

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"
	"time"
)

// SessionID names a session: one conversation, with at most one running turn.
type SessionID string

// TurnID names a turn. It is a UUID, made by us (version 7, so ids sort by
// time) or chosen by the caller, so that a stop can be sent before its turn.
type TurnID string

// ErrBadID is returned for an id that is not a UUID in its usual form.
var ErrBadID = errors.New("id is not a UUID")

// NewSessionID returns a fresh session id.
func NewSessionID() SessionID { return SessionID(newUUID()) }

// NewTurnID returns a fresh turn id.
func NewTurnID() TurnID { return TurnID(newUUID()) }

// NewQuestionID returns a fresh id of a question.
func NewQuestionID() string { return newUUID() }

// ParseTurnID accepts a caller's turn id: a UUID of any version, in lower case
// after parsing, so that one turn has one spelling.
func ParseTurnID(s string) (TurnID, error) {
	id := strings.ToLower(s)
	if !isUUID(id) {
		return "", ErrBadID
	}
	return TurnID(id), nil
}

// newUUID makes a version 7 UUID (RFC 9562): 48 bits of milliseconds, then
// random bits.
func newUUID() string {
	var b [16]byte
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(time.Now().UnixMilli()))
	copy(b[:6], ms[2:])
	_, _ = rand.Read(b[6:]) // crypto/rand.Read never fails since Go 1.24
	return spell(b, 7)
}

// NamedID is the id of what a text names: the same text, the same UUID (version 8).
// A request that comes twice can so make one thing, and the store remembers it.
func NamedID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return spell([16]byte(sum[:16]), 8)
}

// spell writes a UUID of a version in its usual form.
func spell(b [16]byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[0:8], b[0:4])
	hex.Encode(out[9:13], b[4:6])
	hex.Encode(out[14:18], b[6:8])
	hex.Encode(out[19:23], b[8:10])
	hex.Encode(out[24:36], b[10:16])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}
