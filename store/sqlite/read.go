package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// query and queryRow read with prepared statements, which are cached by text.

func (s *Store) query(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := s.reading(ctx, query)
	if err != nil {
		return nil, err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	return rows, explain(err)
}

func (s *Store) queryRow(ctx context.Context, query string, args ...any) oneRow {
	rows, err := s.query(ctx, query, args...)
	return oneRow{rows, err}
}

func (s *Store) reading(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt, made := s.reads.Load(query); made {
		return stmt.(*sql.Stmt), nil
	}
	stmt, err := s.readers.PrepareContext(ctx, query)
	if err != nil {
		return nil, explain(err)
	}
	if other, made := s.reads.LoadOrStore(query, stmt); made {
		return other.(*sql.Stmt), stmt.Close()
	}
	return stmt, nil
}

// Events implements store.Reader.
func (s *Store) Events(ctx context.Context, session bellcord.SessionID, after int64, limit int) ([]bellcord.Event, error) {
	rows, err := s.query(ctx,
		`SELECT seq, turn, kind, at, body FROM events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3`, string(session), after, limit)
	if err != nil {
		return nil, err
	}
	return scanEvents(rows, session)
}

// scanEvents reads the events of a session and closes the rows.
func scanEvents(rows *sql.Rows, session bellcord.SessionID) ([]bellcord.Event, error) {
	defer rows.Close()
	var events []bellcord.Event
	var body sql.RawBytes // valid until the next row; no body refers to it
	for rows.Next() {
		var seq, at int64
		var turn, kind string // a type of another package would be converted by reflection
		if err := rows.Scan(&seq, &turn, &kind, &at, &body); err != nil {
			return nil, fmt.Errorf("%w: event %d: %w", bellcord.ErrDamaged, seq, err)
		}
		decoded, err := bellcord.DecodeBody(kind, body)
		if err != nil {
			return nil, fmt.Errorf("%w: event %d: %w", bellcord.ErrDamaged, seq, err)
		}
		events = append(events, bellcord.Event{Session: session, Seq: seq, Turn: bellcord.TurnID(turn), Time: time.Unix(0, at), Body: decoded})
	}
	return events, explain(rows.Err())
}

// StoredEvents implements store.ChainReader.
func (s *Store) StoredEvents(ctx context.Context, session bellcord.SessionID, after int64, limit int) ([]store.StoredEvent, error) {
	rows, err := s.query(ctx,
		`SELECT seq, turn, kind, at, body, hash FROM events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3`, string(session), after, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var events []store.StoredEvent
	for rows.Next() {
		ev := store.StoredEvent{Session: session}
		var hash []byte
		if err := rows.Scan(&ev.Seq, &ev.Turn, &ev.Kind, &ev.At, &ev.Body, &hash); err != nil {
			return nil, fmt.Errorf("%w: event after %d: %w", bellcord.ErrDamaged, after, err)
		}
		if len(hash) != len(ev.Hash) {
			return nil, fmt.Errorf("%w: event %d has a hash of %d bytes", bellcord.ErrDamaged, ev.Seq, len(hash))
		}
		copy(ev.Hash[:], hash)
		events = append(events, ev)
	}
	return events, explain(rows.Err())
}

// Tail implements store.Reader.
func (s *Store) Tail(ctx context.Context, session bellcord.SessionID) (int64, error) {
	var last int64
	err := s.queryRow(ctx, `SELECT coalesce(max(seq), 0) FROM events WHERE session = $1`, string(session)).Scan(&last)
	return last, err
}

// Tails implements store.Reader. SQLite answers most of it from memory.
func (s *Store) Tails(ctx context.Context, sessions []bellcord.SessionID) ([]int64, error) {
	all := make([]int64, len(sessions))
	for i, id := range sessions {
		var err error
		if all[i], err = s.Tail(ctx, id); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Turn implements store.Reader.
func (s *Store) Turn(ctx context.Context, id bellcord.TurnID) (store.TurnRecord, error) {
	row, err := scanTurn(s.queryRow(ctx, turnByID, string(id)))
	return row.TurnRecord, err
}

const (
	turnColumns = `id, session, state, fence, first_seq, accepted, (SELECT prompt FROM prompts WHERE turn = turns.id), stop, receipt, node, claimed, applied`
	turnByID    = `SELECT ` + turnColumns + ` FROM turns WHERE id = $1`
)

// turnRow is a turn's record with the columns that only the store uses.
type turnRow struct {
	store.TurnRecord
	claimed int64 // time of the claim
	applied int64 // number of the last append
}

// turn reads a turn within the transaction. If found is false, the turn does not
// exist.
func (t tx) turn(id bellcord.TurnID) (row turnRow, found bool, err error) {
	row, err = scanTurn(t.row(turnByID, string(id)))
	if errors.Is(err, bellcord.ErrNoTurn) {
		return row, false, nil
	}
	return row, err == nil, err
}

// facts returns the facts about an op's turn for package lifecycle. An accept
// needs more, see early.
func (t tx) facts(id bellcord.TurnID) (lifecycle.Facts, turnRow, error) {
	row, found, err := t.turn(id)
	var f lifecycle.Facts
	if found {
		f.Turn = lifecycle.StoredTurn(row.TurnRecord, t.s.node, row.claimed, row.applied)
	}
	return f, row, err
}

func (t tx) isNode() bool {
	var one int
	return t.row(`SELECT 1 FROM nodes WHERE id = $1`, t.s.node).Scan(&one) == nil
}

func scanTurn(row interface{ Scan(...any) error }) (turnRow, error) {
	var r turnRow
	var accepted int64
	var prompt string
	var stop, receipt sql.NullString
	err := row.Scan(&r.ID, &r.Session, &r.State, &r.Fence, &r.FirstSeq, &accepted, &prompt, &stop, &receipt, &r.Node, &r.claimed, &r.applied)
	if errors.Is(err, sql.ErrNoRows) {
		return r, bellcord.ErrNoTurn
	} else if err != nil {
		return r, err
	}
	r.Accepted = time.Unix(0, accepted)
	if err := json.Unmarshal([]byte(prompt), &r.Prompt); err != nil {
		return r, err
	}
	if r.Stop, err = decodeCause(stop); err != nil {
		return r, err
	}
	if receipt.Valid {
		r.Receipt = &bellcord.Receipt{}
		err = json.Unmarshal([]byte(receipt.String), r.Receipt)
	}
	return r, err
}

const sessionColumns = `id, dir, title, model, mode, created, updated, agent, owner, additional_dirs, effort, auto_title`

// Session implements store.Reader.
func (s *Store) Session(ctx context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	v, err := scanSession(s.queryRow(ctx, `SELECT `+sessionColumns+` FROM sessions WHERE id = $1`, string(id)))
	if errors.Is(err, sql.ErrNoRows) {
		err = bellcord.ErrNoSession
	}
	return v, err
}

// Sessions implements store.Reader.
func (s *Store) Sessions(ctx context.Context, q store.SessionQuery) ([]bellcord.Session, error) {
	before, limit := int64(1<<62), -1
	if !q.Before.IsZero() {
		before = q.Before.UnixNano()
	}
	if q.Limit > 0 {
		limit = q.Limit
	}
	rows, err := s.query(ctx, `SELECT `+sessionColumns+` FROM sessions
		WHERE (updated < $1 OR updated = $1 AND id < $4) AND ($2 = '' OR dir = $2) AND ($5 = '' OR owner = $5)
		ORDER BY updated DESC, id DESC LIMIT $3`, before, q.Dir, limit, string(q.BeforeID), q.Owner)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []bellcord.Session
	for rows.Next() {
		v, err := scanSession(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, explain(rows.Err())
}

func scanSession(row interface{ Scan(...any) error }) (bellcord.Session, error) {
	var v bellcord.Session
	var created, updated int64
	err := row.Scan(&v.ID, &v.Dir, &v.Title, &v.Model, &v.Mode, &created, &updated, &v.Agent, &v.Owner, (*dirList)(&v.AdditionalDirs), &v.Effort, &v.AutoTitle)
	v.Created, v.Updated = time.Unix(0, created), time.Unix(0, updated)
	return v, err
}
