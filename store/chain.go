package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"github.com/bellcord/bellcord"
)

// StoredEvent is an event as a store keeps it: the bytes that its hash covers,
// and the hash.
type StoredEvent struct {
	Session bellcord.SessionID
	Seq     int64
	Turn    bellcord.TurnID
	At      int64 // nanoseconds since 1970
	Kind    string
	Body    []byte // JSON
	Hash    bellcord.Hash
}

// HashAfter returns the hash that the event has after an event with the given
// hash. It does not read e.Hash.
func (e StoredEvent) HashAfter(previous bellcord.Hash) bellcord.Hash {
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
	return bellcord.Hash(sum.Sum(nil))
}

// ChainReader is a Store that chains its events by their hashes.
type ChainReader interface {
	// StoredEvents returns up to limit events of a session after seq, in order.
	// It does not verify them.
	StoredEvents(ctx context.Context, session bellcord.SessionID, after int64, limit int) ([]StoredEvent, error)
}
