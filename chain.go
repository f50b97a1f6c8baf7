package bellcord

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Hash is the SHA-256 of an event's stored bytes and of the hash of the event
// before it. The first event of a session follows the zero Hash.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error {
	data, err := hex.DecodeString(string(text))
	if err != nil || len(data) != len(h) {
		return fmt.Errorf("%q is not a SHA-256 hash: %d hexadecimal digits expected", text, 2*len(h))
	}
	copy(h[:], data)
	return nil
}

// LogHead is the end of a session's log at one moment: the number and the hash
// of its last event. A log that was rewritten before that event has another hash.
type LogHead struct {
	Seq  int64 `json:"seq"`
	Hash Hash  `json:"hash" doc:"SHA-256 in hexadecimal digits"`
}
