package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
)

// EachEvent calls read for each event of a session after seq, in order, until
// read returns false or the log ends. It returns an error if it could not read
// all events that the log had at the time of the call.
func EachEvent(ctx context.Context, store Reader, session bellcord.SessionID, after int64, read func(bellcord.Event) (more bool)) error {
	last, err := store.Tail(ctx, session)
	if err != nil {
		return err
	}
	for {
		events, err := ReadEvents(ctx, store, session, after)
		if err != nil {
			return err
		}
		if len(events) == 0 && after < last {
			return MissingEvents(ctx, store, session, after)
		}
		if len(events) == 0 {
			return nil
		}
		for _, ev := range events {
			if !read(ev) {
				return nil
			}
		}
		after = events[len(events)-1].Seq
	}
}

// ReadEvents returns up to 256 events of a session after seq, in order and
// without gaps. It returns no events only at the end of the log, and ErrDamaged
// if an event is missing.
func ReadEvents(ctx context.Context, store Reader, session bellcord.SessionID, after int64) ([]bellcord.Event, error) {
	events, err := store.Events(ctx, session, after, chunk)
	if err != nil {
		return nil, fmt.Errorf("reading the events of session %s after %d: %w", session, after, err)
	}
	for i, ev := range events {
		if want := after + 1 + int64(i); ev.Seq != want {
			return nil, fmt.Errorf("%w (session %s: event %d is missing)", bellcord.ErrDamaged, session, want)
		}
	}
	return events, nil
}

// MissingEvents returns the reason why a session has no events after seq
// although its log was longer: ErrNoSession if the session was deleted,
// ErrDamaged otherwise.
func MissingEvents(ctx context.Context, store Reader, session bellcord.SessionID, after int64) error {
	if _, err := store.Session(ctx, session); err != nil {
		return err
	}
	return fmt.Errorf("%w (session %s: the events after %d are missing)", bellcord.ErrDamaged, session, after)
}

// chunk is the number of events read from the store at a time.
const chunk = 256

// CheckIdle returns ErrTurnRunning if a turn of the session is running in any
// process.
func CheckIdle(ctx context.Context, r Reader, session bellcord.SessionID) error {
	turns, err := r.UnendedTurns(ctx, session)
	for _, t := range turns {
		if t.State == bellcord.StateRunning {
			return bellcord.ErrTurnRunning
		}
	}
	return err
}

// ReceiptNow returns a stored receipt with the processes that were recovered
// after the turn's process died. It reads events only if the receipt's processes
// are unknown. Events that are damaged or deleted recover nothing.
func ReceiptNow(ctx context.Context, store Reader, r bellcord.Receipt) (bellcord.Receipt, error) {
	if r.Processes.Unknown == "" {
		return r, nil
	}
	var after int64
	if r.LogHead != nil {
		after = r.LogHead.Seq
	} else {
		record, err := store.Turn(ctx, r.Turn)
		if err != nil {
			return r, err
		}
		after = record.FirstSeq
	}
	sum := bellcord.NewRecoveredProcesses(r.Processes)
	err := EachEvent(ctx, store, r.Session, after, func(ev bellcord.Event) bool {
		if b, is := ev.Body.(bellcord.ProcessesRecovered); is && b.Turn == r.Turn {
			sum.Add(b)
		}
		return true
	})
	r.Processes = sum.Processes()
	if errors.Is(err, bellcord.ErrDamaged) || errors.Is(err, bellcord.ErrNoSession) { // the rest of the receipt is valid
		return r, nil
	}
	return r, err
}
