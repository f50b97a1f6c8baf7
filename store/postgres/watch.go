package postgres

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Changed implements store.Watcher. Every commit sets its node's mark to a new
// number, so other nodes have committed if and only if their marks differ.
// Changed returns ErrFenced if another node has taken over this one.
func (s *Store) Changed(ctx context.Context) (bool, error) {
	if s.closed.Load() {
		return false, bellcord.ErrClosed
	}
	s.marksMu.Lock()
	defer s.marksMu.Unlock()
	rows, err := s.readers.Query(ctx, `
		SELECT node, mark FROM marks WHERE node <> $1 UNION ALL SELECT '', 0 FROM nodes WHERE id = $1`, s.node)
	if err != nil {
		return true, s.explain(ctx, err)
	}
	marks := map[string]int64{}
	var node string
	var mark int64
	if _, err = pgx.ForEachRow(rows, []any{&node, &mark}, func() error {
		marks[node] = mark
		return nil
	}); err != nil {
		return true, s.explain(ctx, err)
	}
	if _, alive := marks[""]; !alive {
		return true, store.ErrFenced
	}
	changed := s.marks == nil || !maps.Equal(marks, s.marks)
	s.marks = marks
	return changed, nil
}

// TakeOver implements store.Watcher. It takes over nodes with a lease that has
// expired by the database's clock.
func (s *Store) TakeOver(ctx context.Context) ([]store.TurnRecord, error) {
	var lapsed bool
	err := s.readers.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM nodes WHERE lease_until < `+clock+` AND id <> $1)`, s.node).Scan(&lapsed)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	if lapsed && s.steady() {
		if err := s.transact(ctx, (*tx).bury); err != nil {
			return nil, err
		}
	}
	taken, err := s.records(ctx, `SELECT `+turnColumns+` FROM turns WHERE node = $1 AND taken AND state <> 'ended'`, s.node)
	for i := range taken {
		_, taken[i].RanOn = s.TakenFrom(taken[i].ID)
	}
	return taken, err
}

// TakenFrom returns the id and the name of the node that ran a turn that this
// process has taken over. Both are empty if they are not known: another node took
// the turn over first, and died, too.
func (s *Store) TakenFrom(turn bellcord.TurnID) (id, name string) {
	s.takenMu.Lock()
	defer s.takenMu.Unlock()
	from := s.takenFrom[turn]
	return from.id, from.name
}

// deadNode is a node whose lease has expired.
type deadNode struct{ id, name string }

// bury removes dead nodes and assigns their unended turns to this node, in one
// transaction. From then on, claims and writes of those nodes are rejected. If
// several nodes try at the same time, one gets each row and the others skip it
// without blocking.
func (t *tx) bury() error {
	if err := t.beginTx(); err != nil {
		return err
	}
	var alive bool
	err := t.conn.QueryRow(t.ctx, `SELECT lease_until > `+clock+` FROM nodes WHERE id = $1 FOR KEY SHARE`, t.s.node).Scan(&alive)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return store.ErrFenced
	case err != nil || !alive: // a node with an expired lease must not take over others
		return err
	}
	rows, err := t.conn.Query(t.ctx, `
		DELETE FROM nodes WHERE id IN (SELECT id FROM nodes WHERE lease_until < `+clock+` AND id <> $1 FOR UPDATE SKIP LOCKED)
		RETURNING id, name`, t.s.node)
	if err != nil {
		return err
	}
	names := map[string]string{}
	var node, name string
	if _, err := pgx.ForEachRow(rows, []any{&node, &name}, func() error {
		names[node] = name
		return nil
	}); err != nil || len(names) == 0 {
		return err
	}
	return t.inherit(names)
}

// inherit assigns the unended turns of removed nodes to this node. Everything
// that those nodes accepted is committed, because an accept locks the node's row
// against removal.
func (t *tx) inherit(names map[string]string) error {
	dead := slices.Collect(maps.Keys(names))
	if err := t.exec(`
		SELECT 1 FROM tails WHERE session IN (SELECT session FROM turns WHERE node = ANY ($1::text[]) AND state <> 'ended')
		ORDER BY session FOR UPDATE`, dead); err != nil {
		return err
	}
	rows, err := t.conn.Query(t.ctx, `
		WITH old AS (SELECT id, node, taken FROM turns WHERE node = ANY ($1::text[]) AND state <> 'ended')
		UPDATE turns SET node = $2, taken = true, fence = fence + 1, applied = 0 FROM old
		WHERE turns.id = old.id AND turns.node = old.node AND turns.state <> 'ended'
		RETURNING old.id, old.node, old.taken`, dead, t.s.node)
	if err != nil {
		return err
	}
	var turn bellcord.TurnID
	var node string
	var taken bool
	_, err = pgx.ForEachRow(rows, []any{(*word)(&turn), &node, &taken}, func() error {
		t.s.takenMu.Lock()
		defer t.s.takenMu.Unlock()
		if taken { // that node did not run it, either
			node = ""
		}
		t.s.takenFrom[turn] = deadNode{node, names[node]}
		return nil
	})
	return err
}
