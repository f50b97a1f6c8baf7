package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/filelock"
	"github.com/bellcord/bellcord/store"
)

// RecordedStops implements store.Watcher.
func (s *Store) RecordedStops(ctx context.Context) ([]store.TurnRecord, error) {
	return s.records(ctx, `SELECT `+turnColumns+` FROM turns WHERE node = $1 AND state <> 'ended' AND stop IS NOT NULL`, s.node)
}

// UnendedTurns implements store.Reader.
func (s *Store) UnendedTurns(ctx context.Context, session bellcord.SessionID) ([]store.TurnRecord, error) {
	return s.records(ctx, `SELECT `+turnColumns+` FROM turns WHERE state <> 'ended' AND ($1 = '' OR session = $1) ORDER BY accepted`, string(session))
}

func (s *Store) records(ctx context.Context, query string, args ...any) ([]store.TurnRecord, error) {
	rows, err := s.query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	found, err := scanTurns(rows)
	var all []store.TurnRecord
	for _, row := range found {
		all = append(all, row.TurnRecord)
	}
	return all, err
}

func scanTurns(rows *sql.Rows) ([]turnRow, error) {
	defer rows.Close()
	var all []turnRow
	for rows.Next() {
		r, err := scanTurn(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, explain(rows.Err())
}

// TakeOver implements store.Watcher. A node is dead if its lock is free: the
// kernel releases the lock when the process ends, and not before.
func (s *Store) TakeOver(ctx context.Context) ([]store.TurnRecord, error) {
	others, err := s.others(ctx)
	if err != nil {
		return nil, err
	}
	for _, node := range others {
		lock, err := filelock.Try(s.lockPath(node))
		if errors.Is(err, filelock.ErrHeld) {
			continue
		} else if err != nil {
			return nil, err
		}
		if err := errors.Join(s.bury(ctx, node), filelock.Release(lock)); err != nil {
			return nil, err
		}
		_ = os.Remove(s.lockPath(node)) // its row is deleted, so no node checks the file
	}
	return s.records(ctx, `SELECT `+turnColumns+` FROM turns WHERE node = $1 AND taken = 1 AND state <> 'ended'`, s.node)
}

func (s *Store) others(ctx context.Context) ([]string, error) {
	rows, err := s.query(ctx, `SELECT id FROM nodes WHERE id <> $1`, s.node)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// bury removes a dead node and assigns its unended turns to this node, in one
// transaction. From then on, claims and writes of that node are rejected.
func (s *Store) bury(ctx context.Context, node string) error {
	return s.transact(ctx, func(t tx) error {
		if !t.isNode() {
			return store.ErrFenced
		}
		if err := t.exec(`DELETE FROM nodes WHERE id = $1`, node); err != nil {
			return err
		}
		return t.exec(`UPDATE turns SET node = $2, taken = 1, fence = fence + 1, applied = 0 WHERE node = $1 AND state <> 'ended'`, node, s.node)
	})
}
