package storecheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
)

// readChain verifies the hashes of the events that were read, and that the
// receipt of every ended turn has the head that the log had before its end.
func (c *checker) readChain(ctx context.Context) error {
	chain, is := c.store.(bellcord.ChainReader)
	if !is {
		return nil
	}
	return eachHead(ctx, chain, c.session, c.last, func(before bellcord.LogHead, ev bellcord.StoredEvent) error {
		c.report.Chained++
		return checkHead(before, ev)
	})
}

// eachHead verifies the hashes of a session's events up to last and calls do with
// every event and the head of the log before it.
func eachHead(ctx context.Context, chain bellcord.ChainReader, session bellcord.SessionID, last int64, do func(bellcord.LogHead, bellcord.StoredEvent) error) error {
	var head bellcord.LogHead
	for head.Seq < last {
		events, err := chain.StoredEvents(ctx, session, head.Seq, int(min(chunk, last-head.Seq)))
		if err != nil {
			return err
		}
		if len(events) == 0 {
			return fmt.Errorf("event %d is missing", head.Seq+1)
		}
		for _, ev := range events {
			if ev.Seq != head.Seq+1 {
				return fmt.Errorf("event %d is missing", head.Seq+1)
			}
			if ev.Hash != ev.HashAfter(head.Hash) {
				return fmt.Errorf("event %d was changed, or an event before it: its hash does not match", ev.Seq)
			}
			if err := do(head, ev); err != nil {
				return err
			}
			head = bellcord.LogHead{Seq: ev.Seq, Hash: ev.Hash}
		}
	}
	return nil
}

// checkHead compares the head on the receipt of a turn's end with the log.
func checkHead(before bellcord.LogHead, ev bellcord.StoredEvent) error {
	if ev.Kind != (bellcord.TurnEnded{}).Kind() {
		return nil
	}
	var ended bellcord.TurnEnded
	if err := json.Unmarshal(ev.Body, &ended); err != nil {
		return fmt.Errorf("event %d: %w", ev.Seq, err)
	}
	if head := ended.Receipt.LogHead; head != nil && *head != before {
		return fmt.Errorf("event %d: the receipt has head %d %s, the log %d %s", ev.Seq, head.Seq, head.Hash, before.Seq, before.Hash)
	}
	return nil
}

// Receipt verifies a receipt that was kept elsewhere: the store has the same
// receipt for the turn, and the log up to its head is the one it was.
func Receipt(ctx context.Context, store bellcord.Reader, kept bellcord.Receipt) error {
	chain, is := store.(bellcord.ChainReader)
	if !is || kept.LogHead == nil {
		return errors.New("the receipt has no log head: the store that made it does not chain its events")
	}
	record, err := store.Turn(ctx, kept.Turn)
	if err != nil {
		return fmt.Errorf("turn %s: %w", kept.Turn, err)
	}
	if record.Receipt == nil || !sameJSON(*record.Receipt, kept) {
		return fmt.Errorf("turn %s: the store has another receipt", kept.Turn)
	}
	var head bellcord.LogHead
	err = eachHead(ctx, chain, record.Session, kept.LogHead.Seq, func(_ bellcord.LogHead, ev bellcord.StoredEvent) error {
		head = bellcord.LogHead{Seq: ev.Seq, Hash: ev.Hash}
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("session %s: %w", record.Session, err)
	case head != *kept.LogHead:
		return fmt.Errorf("session %s: the log was rewritten: event %d has the hash %s, the receipt %s", record.Session, head.Seq, head.Hash, kept.LogHead.Hash)
	}
	return nil
}

func sameJSON(a, b bellcord.Receipt) bool {
	one, err := json.Marshal(a)
	other, failed := json.Marshal(b)
	return err == nil && failed == nil && string(one) == string(other)
}
