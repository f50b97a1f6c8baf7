package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// turnRow is a turn's record with the columns that only the store uses.
type turnRow struct {
	store.TurnRecord
	claimed int64 // time of the claim
	applied int64 // number of the last append
}

const (
	turnColumns = `id, session, state, fence, first_seq, accepted, (SELECT prompt FROM prompts WHERE turn = turns.id), stop, receipt, node, claimed, applied`
	turnByID    = `SELECT ` + turnColumns + ` FROM turns WHERE id = $1`
)

// turn reads a turn within the transaction.
func (t *tx) turn(id bellcord.TurnID) (turnRow, error) {
	return scanTurn(t.conn.QueryRow(t.ctx, turnByID, word(id)))
}

// facts returns the facts about an op's turn for package lifecycle.
func (t *tx) facts(id bellcord.TurnID) (lifecycle.Facts, turnRow, error) {
	row, err := t.turn(id)
	if errors.Is(err, bellcord.ErrNoTurn) {
		return t.factsOf(nil), row, nil
	}
	return t.factsOf(&row), row, err
}

// factsOf returns the facts about a turn. row is nil if the turn does not exist.
func (t *tx) factsOf(row *turnRow) lifecycle.Facts {
	f := lifecycle.Facts{Alive: t.lives}
	if row != nil {
		f.Turn = lifecycle.StoredTurn(row.TurnRecord, t.s.node, row.claimed, row.applied)
		f.Owner = t.ownerOf(row.Session)
	}
	return f
}

// Turn implements store.Reader.
func (s *Store) Turn(ctx context.Context, id bellcord.TurnID) (store.TurnRecord, error) {
	row, err := scanTurn(s.readers.QueryRow(ctx, turnByID, word(id)))
	return row.TurnRecord, s.explain(ctx, err)
}

// RecordedStops implements store.Watcher.
func (s *Store) RecordedStops(ctx context.Context) ([]store.TurnRecord, error) {
	return s.records(ctx, `SELECT `+turnColumns+` FROM turns WHERE node = $1 AND state <> 'ended' AND stop IS NOT NULL`, s.node)
}

// UnendedTurns implements store.Reader.
func (s *Store) UnendedTurns(ctx context.Context, session bellcord.SessionID) ([]store.TurnRecord, error) {
	if session != "" { // a separate statement gets its own plan
		return s.records(ctx, `SELECT `+turnColumns+` FROM turns WHERE state <> 'ended' AND session = $1 ORDER BY accepted`, word(session))
	}
	return s.records(ctx, `SELECT `+turnColumns+` FROM turns WHERE state <> 'ended' ORDER BY accepted`)
}

func (s *Store) records(ctx context.Context, query string, args ...any) ([]store.TurnRecord, error) {
	rows, err := s.readers.Query(ctx, query, args...)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	found, err := scanTurns(rows)
	var all []store.TurnRecord
	for _, row := range found {
		all = append(all, row.TurnRecord)
	}
	return all, s.explain(ctx, err)
}

func scanTurns(rows pgx.Rows) ([]turnRow, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (turnRow, error) { return scanTurn(row) })
}

func scanTurn(row pgx.Row) (turnRow, error) {
	var r turnRow
	var accepted int64
	var prompt string
	var stop, receipt *string
	err := row.Scan((*word)(&r.ID), (*word)(&r.Session), &r.State, &r.Fence, &r.FirstSeq, &accepted, &prompt, &stop, &receipt, &r.Node, &r.claimed, &r.applied)
	if errors.Is(err, pgx.ErrNoRows) {
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
	if receipt != nil {
		r.Receipt = &bellcord.Receipt{}
		err = json.Unmarshal([]byte(*receipt), r.Receipt)
	}
	return r, err
}
