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

// session returns a session that the caller reaches. The session of another
// owner is reported as ErrNoSession.
func (s *Server) session(ctx context.Context, id string) (bellcord.Session, error) {
	parsed, err := bellcord.ParseTurnID(id) // session and turn IDs have the same format
	if err != nil {
		return bellcord.Session{}, bellcord.ErrNoSession
	}
	found, err := s.Hub.Session(ctx, bellcord.SessionID(parsed))
	if err != nil {
		return bellcord.Session{}, err
	}
	if reach := caller(ctx).Reach(); reach != "" && found.Owner != reach {
		return bellcord.Session{}, bellcord.ErrNoSession
	}
	return found, nil
}

// opened returns a session that is open for prompts.
func (s *Server) opened(ctx context.Context, id string) (bellcord.Session, error) {
	found, err := s.session(ctx, id)
	if err != nil {
		return found, err
	}
	return s.Hub.OpenSession(ctx, found.ID)
}

// record returns a turn in a session that the caller reaches, or ErrNoTurn.
func (s *Server) record(ctx context.Context, id string) (store.TurnRecord, error) {
	parsed, err := bellcord.ParseTurnID(id)
	if err != nil {
		return store.TurnRecord{}, bellcord.ErrNoTurn
	}
	found, err := s.Hub.Turn(ctx, parsed)
	if err != nil {
		return found, err
	}
	if _, err := s.session(ctx, string(found.Session)); errors.Is(err, bellcord.ErrNoSession) {
		return store.TurnRecord{}, bellcord.ErrNoTurn
	} else if err != nil {
		return store.TurnRecord{}, err
	}
	return found, nil
}

// turn returns the API view of a turn: the stored record with the live state
// that only the running hub has.
func (s *Server) turn(r store.TurnRecord) api.Turn { return s.turns([]store.TurnRecord{r})[0] }

// turns returns the API views of turns, in the order of their records.
func (s *Server) turns(records []store.TurnRecord) []api.Turn {
	var unended []store.TurnRecord
	for _, r := range records {
		if r.Receipt == nil {
			unended = append(unended, r)
		}
	}
	standings := s.Hub.QueueEntries(unended)
	all := make([]api.Turn, len(records))
	for i, r := range records {
		all[i] = api.TurnOf(r, standings)
	}
	return all
}

// line returns the turns of a session that have not ended, in queue order,
// whichever process runs them.
func (s *Server) line(ctx context.Context, session bellcord.SessionID) ([]api.Turn, error) {
	line, err := s.Hub.UnendedTurns(ctx, session)
	if err != nil {
		return nil, err
	}
	// A turn that was moved ahead has its position only in the hub's queue.
	// Turns without a queue entry come last.
	standings := s.Hub.QueueEntries(line)
	place := func(r store.TurnRecord) int {
		if standing, known := standings[r.ID]; known {
			return standing.Position
		}
		return len(line)
	}
	slices.SortStableFunc(line, func(a, b store.TurnRecord) int { return place(a) - place(b) })
	all := make([]api.Turn, len(line))
	for i, r := range line {
		all[i] = api.TurnOf(r, standings)
	}
	return all, nil
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
func (s *Server) eachEvent(ctx context.Context, id bellcord.SessionID, visit func([]bellcord.Event) error) error {
	last, err := s.Hub.Tail(ctx, id)
	if err != nil || last == 0 {
		return err
	}
	cursor, err := s.Hub.Events(ctx, id, 0)
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
