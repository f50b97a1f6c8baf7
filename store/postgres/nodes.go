package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
)

// Node is a process that shares the store, as registered in the database.
type Node struct {
	ID       string
	Name     string
	Version  string
	Started  time.Time
	LeaseAge time.Duration // time since it last renewed its lease
	Left     time.Duration // remaining time of its lease; negative if it may be taken over
	Draining bool
	Running  int // number of running turns
	Queued   int
}

// NodeID returns the ID of this process among the nodes.
func (s *Store) NodeID() string { return s.node }

// Nodes returns the registered nodes in the order they started.
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
		var started, renewed, left, now int64
		err := row.Scan(&n.ID, (*word)(&n.Name), (*word)(&n.Version), &started, &renewed, &left, &now, &n.Draining, &n.Running, &n.Queued)
		n.Started, n.Left, n.LeaseAge = time.Unix(0, started), time.Duration(left), time.Duration(now-renewed)
		return n, err
	})
	return all, s.explain(ctx, err)
}

// Home returns the node that should handle a session: the node of its newest
// turn, if its lease is valid and it is not draining. Otherwise it returns "".
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

// Drain marks this node as draining. Home no longer returns it.
func (s *Store) Drain(ctx context.Context) error {
	_, err := s.heart.Exec(ctx, `UPDATE nodes SET draining = true WHERE id = $1`, s.node)
	return s.explain(ctx, err)
}
