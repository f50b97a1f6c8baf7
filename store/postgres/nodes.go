package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
)

// Node is a process that shares the store, as the database knows it.
type Node struct {
	ID       string
	Name     string
	Version  string
	Started  time.Time
	Heard    time.Duration // since it last renewed its lease
	Left     time.Duration // of its lease; less than 0: it may be taken for dead
	Draining bool
	Running  int // turns
	Queued   int
}

// NodeID is this process's id among the nodes.
func (s *Store) NodeID() string { return s.node }

// Nodes returns the nodes that are there, in the order they started.
func (s *Store) Nodes(ctx context.Context) ([]Node, error) {
	rows, err := s.readers.Query(ctx, `
		SELECT id, name, version, started, heard, lease_until - `+clock+`, `+clock+`, draining,
			(SELECT count(*) FROM turns WHERE node = nodes.id AND state = 'running'),
			(SELECT count(*) FROM turns WHERE node = nodes.id AND state = 'queued')
		FROM nodes ORDER BY started, id`)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Node, error) {
		var n Node
		var started, heard, left, now int64
		err := row.Scan(&n.ID, (*word)(&n.Name), (*word)(&n.Version), &started, &heard, &left, &now, &n.Draining, &n.Running, &n.Queued)
		n.Started, n.Left, n.Heard = time.Unix(0, started), time.Duration(left), time.Duration(now-heard)
		return n, err
	})
	return all, s.explain(ctx, err)
}

// Home returns the node that a session is at home with: the one of its newest
// turn, if it lives and does not take leave; "" where there is none.
func (s *Store) Home(ctx context.Context, session bellcord.SessionID) (string, error) {
	var node string
	err := s.readers.QueryRow(ctx, `
		SELECT node FROM (SELECT node FROM turns WHERE session = $1 ORDER BY accepted DESC LIMIT 1) AS newest
		WHERE EXISTS (SELECT 1 FROM nodes WHERE id = newest.node AND NOT draining AND lease_until > `+clock+`)`, word(session)).Scan(&node)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return node, s.explain(ctx, err)
}

// Drain says that this node takes leave: no session is at home with it any more.
func (s *Store) Drain(ctx context.Context) error {
	_, err := s.heart.Exec(ctx, `UPDATE nodes SET draining = true WHERE id = $1`, s.node)
	return s.explain(ctx, err)
}
