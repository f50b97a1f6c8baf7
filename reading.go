package bellcord

import (
	"context"
	"fmt"
)

// EachEvent reads a session's events after seq, a chunk at a time, for as long as
// read wants more. It returns an error where it could not read all that the log
// had when it was called.
func EachEvent(ctx context.Context, store Reader, session SessionID, after int64, read func(Event) (more bool)) error {
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
// without a hole. It returns none only at the end of the log.
func ReadEvents(ctx context.Context, store Reader, session SessionID, after int64) ([]Event, error) {
	events, err := store.Events(ctx, session, after, chunk)
	if err != nil {
		return nil, fmt.Errorf("reading the events of session %s after %d: %w", session, after, err)
	}
	for i, ev := range events {
		if want := after + 1 + int64(i); ev.Seq != want {
			return nil, fmt.Errorf("%w (session %s: event %d is missing)", ErrDamaged, session, want)
		}
	}
	return events, nil
}

// MissingEvents returns why a session has no events after seq although its log went
// further: ErrNoSession where the session was deleted.
func MissingEvents(ctx context.Context, store Reader, session SessionID, after int64) error {
	if _, err := store.Session(ctx, session); err != nil {
		return err
	}
	return fmt.Errorf("%w (session %s: the events after %d are missing)", ErrDamaged, session, after)
}

// chunk is how many events are read from the store at a time.
const chunk = 256
