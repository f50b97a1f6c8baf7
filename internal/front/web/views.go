package web

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// views finds the sessions and turns that a caller reaches, and returns them as
// the API shows them.
type views struct{ reader reader }

// session returns a session that the caller reaches. The session of another
// owner is reported as ErrNoSession.
func (v views) session(ctx context.Context, id string) (bellcord.Session, error) {
	parsed, err := bellcord.ParseTurnID(id) // session and turn IDs have the same format
	if err != nil {
		return bellcord.Session{}, bellcord.ErrNoSession
	}
	found, err := v.reader.Session(ctx, bellcord.SessionID(parsed))
	if err != nil {
		return bellcord.Session{}, err
	}
	if reach := caller(ctx).Reach(); reach != "" && found.Owner != reach {
		return bellcord.Session{}, bellcord.ErrNoSession
	}
	return found, nil
}

// record returns a turn in a session that the caller reaches, or ErrNoTurn.
func (v views) record(ctx context.Context, id string) (store.TurnRecord, error) {
	parsed, err := bellcord.ParseTurnID(id)
	if err != nil {
		return store.TurnRecord{}, bellcord.ErrNoTurn
	}
	found, err := v.reader.Turn(ctx, parsed)
	if err != nil {
		return found, err
	}
	if _, err := v.session(ctx, string(found.Session)); errors.Is(err, bellcord.ErrNoSession) {
		return store.TurnRecord{}, bellcord.ErrNoTurn
	} else if err != nil {
		return store.TurnRecord{}, err
	}
	return found, nil
}

// turn returns the API view of a turn: the stored record with the live state
// that only the running hub has.
func (v views) turn(r store.TurnRecord) api.Turn { return v.turns([]store.TurnRecord{r})[0] }

// turns returns the API views of turns, in the order of their records.
func (v views) turns(records []store.TurnRecord) []api.Turn {
	var unended []store.TurnRecord
	for _, r := range records {
		if r.Receipt == nil {
			unended = append(unended, r)
		}
	}
	return turnsOf(records, v.reader.QueueEntries(unended))
}

func turnsOf(records []store.TurnRecord, standings map[bellcord.TurnID]bellcord.QueueEntry) []api.Turn {
	all := make([]api.Turn, len(records))
	for i, r := range records {
		all[i] = api.TurnOf(r, standings)
	}
	return all
}

// outline returns the turn as the caller may see it: its content requires the
// read scope.
func (v views) outline(ctx context.Context, r store.TurnRecord) api.Turn {
	t := v.turn(r)
	if !caller(ctx).May(bellcord.ScopeRead) {
		return api.Turn{
			ID: t.ID, Session: t.Session, State: t.State, Held: t.Held, Accepted: t.Accepted, FirstSeq: t.FirstSeq,
		}
	}
	return t
}

// line returns the turns of a session that have not ended, in queue order,
// whichever process runs them.
func (v views) line(ctx context.Context, session bellcord.SessionID) ([]api.Turn, error) {
	line, err := v.reader.UnendedTurns(ctx, session)
	if err != nil {
		return nil, err
	}
	// A turn that was moved ahead has its position only in the hub's queue.
	// Turns without a queue entry come last.
	standings := v.reader.QueueEntries(line)
	place := func(r store.TurnRecord) int {
		if standing, known := standings[r.ID]; known {
			return standing.Position
		}
		return len(line)
	}
	slices.SortStableFunc(line, func(a, b store.TurnRecord) int { return place(a) - place(b) })
	return turnsOf(line, standings), nil
}

// mostWait limits how long a request may wait for the end of a turn.
const mostWait = time.Minute

// waiting parses the wait duration of a request, up to mostWait.
func waiting(text string, otherwise time.Duration) (time.Duration, error) {
	if text == "" {
		return otherwise, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, badInput("wait %q: must be a duration, such as 30s", text)
	}
	return min(d, mostWait), nil
}

// eachEvent calls visit with the session's events, in batches, at least to the
// current end of the log.
func (v views) eachEvent(ctx context.Context, id bellcord.SessionID, visit func([]bellcord.Event) error) error {
	last, err := v.reader.Tail(ctx, id)
	if err != nil || last == 0 {
		return err
	}
	cursor, err := v.reader.Events(ctx, id, 0)
	if err != nil {
		return err
	}
	defer cursor.Close()
	for cursor.After() < last {
		events, err := cursor.Next(ctx)
		if err != nil {
			return err
		}
		if err := visit(events); err != nil {
			return err
		}
	}
	return nil
}
