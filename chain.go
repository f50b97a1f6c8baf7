package bellcord

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
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

// StoredEvent is an event as a store keeps it: the bytes that its hash covers,
// and the hash.
type StoredEvent struct {
	Session SessionID
	Seq     int64
	Turn    TurnID
	At      int64 // nanoseconds since 1970
	Kind    string
	Body    []byte // JSON
	Hash    Hash
}

// HashAfter returns the hash that the event has after an event with the given
// hash. It does not read e.Hash.
func (e StoredEvent) HashAfter(previous Hash) Hash {
	head := append(make([]byte, 0, 256), previous[:]...)
	head = binary.BigEndian.AppendUint64(head, uint64(e.Seq))
	head = binary.BigEndian.AppendUint64(head, uint64(e.At))
	for _, text := range []string{string(e.Session), string(e.Turn), e.Kind} { // each with its length, so that no two events have the same bytes
		head = binary.BigEndian.AppendUint64(head, uint64(len(text)))
		head = append(head, text...)
	}
	head = binary.BigEndian.AppendUint64(head, uint64(len(e.Body)))
	sum := sha256.New()
	sum.Write(head)
	sum.Write(e.Body) // not copied: a prompt with images is large
	return Hash(sum.Sum(nil))
}

// ChainReader is a Store that chains its events by their hashes.
type ChainReader interface {
	// StoredEvents returns up to limit events of a session after seq, in order.
	// It does not verify them.
	StoredEvents(ctx context.Context, session SessionID, after int64, limit int) ([]StoredEvent, error)
}
