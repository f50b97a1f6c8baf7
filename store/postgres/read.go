package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Events implements store.Reader.
func (s *Store) Events(ctx context.Context, session bellcord.SessionID, after int64, limit int) ([]bellcord.Event, error) {
	rows, err := s.readers.Query(ctx,
		`SELECT seq, turn, kind, at, body FROM events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3`, word(session), after, limit)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	events, err := scanEvents(rows, session)
	return events, s.explain(ctx, err)
}

// scanEvents reads the events of a session and closes the rows.
func scanEvents(rows pgx.Rows, session bellcord.SessionID) ([]bellcord.Event, error) {
	var events []bellcord.Event
	var seq, at int64
	var turn word
	var kind string
	var body []byte
	_, err := pgx.ForEachRow(rows, []any{&seq, &turn, &kind, &at, &body}, func() error {
		decoded, err := bellcord.DecodeBody(kind, body)
		if err != nil {
			return fmt.Errorf("%w: event %d: %w", bellcord.ErrDamaged, seq, err)
		}
		events = append(events, bellcord.Event{Session: session, Seq: seq, Turn: bellcord.TurnID(turn), Time: time.Unix(0, at), Body: decoded})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// StoredEvents implements store.ChainReader.
func (s *Store) StoredEvents(ctx context.Context, session bellcord.SessionID, after int64, limit int) ([]store.StoredEvent, error) {
	rows, err := s.readers.Query(ctx,
		`SELECT seq, turn, kind, at, body, hash FROM events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3`, word(session), after, limit)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	var events []store.StoredEvent
	ev := store.StoredEvent{Session: session}
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&ev.Seq, (*word)(&ev.Turn), &ev.Kind, &ev.At, &ev.Body, &hash}, func() error {
		if len(hash) != len(ev.Hash) {
			return fmt.Errorf("%w: event %d has a hash of %d bytes", bellcord.ErrDamaged, ev.Seq, len(hash))
		}
		copy(ev.Hash[:], hash)
		events = append(events, ev)
		return nil
	})
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	return events, nil
}

// Tail implements store.Reader.
func (s *Store) Tail(ctx context.Context, session bellcord.SessionID) (int64, error) {
	var last int64
	err := s.readers.QueryRow(ctx, `SELECT last_seq FROM tails WHERE session = $1`, word(session)).Scan(&last)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return last, s.explain(ctx, err)
}

// Tails implements store.Reader.
func (s *Store) Tails(ctx context.Context, sessions []bellcord.SessionID) ([]int64, error) {
	ids := make([]string, len(sessions))
	for i, id := range sessions {
		ids[i] = textOf(id)
	}
	rows, err := s.readers.Query(ctx, `
		SELECT coalesce(last_seq, 0) FROM unnest($1::text[]) WITH ORDINALITY AS wanted (id, place)
		LEFT JOIN tails ON session = wanted.id ORDER BY place`, ids)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	return all, s.explain(ctx, err)
}

const sessionColumns = `id, dir, title, model, mode, created, updated, agent, owner, additional_dirs, effort, auto_title`

// Session implements store.Reader.
func (s *Store) Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	v, err := scanSession(s.readers.QueryRow(ctx, `SELECT `+sessionColumns+` FROM sessions WHERE id = $1`, word(id)))
	if errors.Is(err, pgx.ErrNoRows) {
		return v, bellcord.ErrNoSession
	}
	return v, s.explain(ctx, err)
}

// Sessions implements store.Reader.
func (s *Store) Sessions(ctx context.Context, q store.SessionQuery) ([]bellcord.Session, error) {
	before, limit := int64(math.MaxInt64), math.MaxInt32
	if !q.Before.IsZero() {
		before = q.Before.UnixNano()
	}
	if q.Limit > 0 {
		limit = q.Limit
	}
	rows, err := s.readers.Query(ctx, `SELECT `+sessionColumns+` FROM sessions
		WHERE (updated, id) < ($1, $4) AND ($2 = '' OR dir = $2) AND ($5 = '' OR owner = $5)
		ORDER BY updated DESC, id DESC LIMIT $3`, before, word(q.Dir), limit, word(q.BeforeID), word(q.Owner))
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (bellcord.Session, error) { return scanSession(row) })
	return all, s.explain(ctx, err)
}

func scanSession(row pgx.Row) (bellcord.Session, error) {
	var v bellcord.Session
	var created, updated int64
	var dirs word
	err := row.Scan((*word)(&v.ID), (*word)(&v.Dir), (*word)(&v.Title), (*word)(&v.Model), (*word)(&v.Mode), &created, &updated, (*word)(&v.Agent), (*word)(&v.Owner), &dirs, (*word)(&v.Effort), &v.AutoTitle)
	if err == nil && dirs != "" {
		err = json.Unmarshal([]byte(dirs), &v.AdditionalDirs)
	}
	v.Created, v.Updated = time.Unix(0, created), time.Unix(0, updated)
	return v, err
}
