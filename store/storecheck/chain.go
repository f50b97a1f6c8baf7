package storecheck

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// verified returns the events that a store chains as events of the log, and the
// head of the log after them. It returns an error if an event is missing after
// head, was changed, or cannot be decoded.
func verified(stored []store.StoredEvent, head bellcord.LogHead) ([]bellcord.Event, bellcord.LogHead, error) {
	events := make([]bellcord.Event, len(stored))
	for i, ev := range stored {
		if ev.Seq != head.Seq+1 {
			return nil, head, missing(head.Seq + 1)
		}
		if ev.Hash != ev.HashAfter(head.Hash) {
			return nil, head, fmt.Errorf("event %d was changed, or an event before it: its hash does not match", ev.Seq)
		}
		body, err := bellcord.DecodeBody(ev.Kind, ev.Body)
		if err != nil {
			return nil, head, fmt.Errorf("event %d: %w", ev.Seq, err)
		}
		if err := checkHead(head, body); err != nil {
			return nil, head, fmt.Errorf("event %d: %w", ev.Seq, err)
		}
		events[i] = bellcord.Event{Session: ev.Session, Seq: ev.Seq, Turn: ev.Turn, Body: body}
		head = bellcord.LogHead{Seq: ev.Seq, Hash: ev.Hash}
	}
	return events, head, nil
}

func missing(seq int64) error { return fmt.Errorf("event %d is missing", seq) }

// checkHead compares the head on the receipt of a turn's end with the log.
func checkHead(before bellcord.LogHead, body bellcord.Body) error {
	ended, is := body.(bellcord.TurnEnded)
	if !is || ended.Receipt.LogHead == nil || *ended.Receipt.LogHead == before {
		return nil
	}
	head := ended.Receipt.LogHead
	return fmt.Errorf("the receipt has the log head %d %s, the log has %d %s", head.Seq, head.Hash, before.Seq, before.Hash)
}

// checkReceipt verifies a receipt that was kept elsewhere: the store has the
// same receipt for the turn, and the log up to its head was not rewritten.
func checkReceipt(ctx context.Context, from store.Reader, kept bellcord.Receipt) error {
	chain, is := from.(store.ChainReader)
	if !is || kept.LogHead == nil {
		return errors.New("it has no log head: the store that made it does not chain its events")
	}
	record, err := from.Turn(ctx, kept.Turn)
	if err != nil {
		return err
	}
	if record.Receipt == nil {
		return errors.New("the store has no receipt for this turn")
	}
	if !record.Receipt.Equal(kept) {
		now, err := store.ReceiptNow(ctx, from, *record.Receipt) // kept after its processes were recovered
		if err != nil {
			return err
		}
		if !now.Equal(kept) {
			return errors.New("the store has another receipt for this turn")
		}
	}
	var head bellcord.LogHead
	for head.Seq < kept.LogHead.Seq {
		stored, err := chain.StoredEvents(ctx, record.Session, head.Seq, int(min(chunk, kept.LogHead.Seq-head.Seq)))
		if err == nil && len(stored) == 0 {
			err = missing(head.Seq + 1)
		}
		if err == nil {
			_, head, err = verified(stored, head)
		}
		if err != nil {
			return fmt.Errorf("session %s: %w", record.Session, err)
		}
	}
	if head != *kept.LogHead {
		return fmt.Errorf("session %s: the log was rewritten: event %d has the hash %s, the receipt has %s", record.Session, head.Seq, head.Hash, kept.LogHead.Hash)
	}
	return nil
}
