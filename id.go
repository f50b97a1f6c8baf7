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

// SessionID identifies a session: one conversation with at most one running
// turn.
type SessionID string

// TurnID identifies a turn. It is a UUID, either generated (version 7, so ids
// sort by time) or chosen by the caller, so that a stop can be sent before its
// turn.
type TurnID string

// ErrBadID is returned for an id that is not a UUID in its canonical form.
var ErrBadID = errors.New("id is not a UUID")

// NewSessionID returns a new session id.
func NewSessionID() SessionID { return SessionID(newUUID()) }

// NewTurnID returns a new turn id.
func NewTurnID() TurnID { return TurnID(newUUID()) }

// NewQuestionID returns a new question id.
func NewQuestionID() string { return newUUID() }

// ParseTurnID parses a turn id chosen by a caller: a UUID of any version. The
// result is in lower case, so that each turn has one spelling. It returns
// ErrBadID if s is not a UUID.
func ParseTurnID(s string) (TurnID, error) {
	id := strings.ToLower(s)
	if !isUUID(id) {
		return "", ErrBadID
	}
	return TurnID(id), nil
}

// newUUID returns a version 7 UUID (RFC 9562): 48 bits of milliseconds, then
// random bits.
func newUUID() string {
	var b [16]byte
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(time.Now().UnixMilli()))
	copy(b[:6], ms[2:])
	_, _ = rand.Read(b[6:]) // crypto/rand.Read never fails since Go 1.24
	return spell(b, 7)
}

// NamedID derives a UUID (version 8) from a text. The same text always gives
// the same id, so a repeated request can be recognized in the store.
func NamedID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return spell([16]byte(sum[:16]), 8)
}

// spell formats b as a UUID of the given version, in canonical form.
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
