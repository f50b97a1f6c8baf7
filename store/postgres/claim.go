package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// claim starts a turn and increments its fence. The same statement checks that
// this process is still a node with a valid lease, that the turn belongs to it,
// and that no other turn of the session is running.
func (t *tx) claim(op store.ClaimTurn) (store.Result, error) {
	var fence int64
	var stop *string
	err := t.conn.QueryRow(t.ctx, `
		UPDATE turns SET state = 'running', fence = fence + 1, claimed = $4
		WHERE id = $1 AND state = 'queued' AND node = $2 AND session = $3
		  AND EXISTS (SELECT 1 FROM nodes WHERE id = $2 AND lease_until > `+clock+`)
		  AND NOT EXISTS (SELECT 1 FROM turns AS other WHERE other.session = $3 AND other.state = 'running')
		RETURNING fence, stop`, word(op.Turn), t.s.node, word(op.Session), op.At.UnixNano()).Scan(&fence, &stop)
	if errors.Is(err, pgx.ErrNoRows) {
		return t.claimRefused(op)
	} else if err != nil {
		return store.Result{}, err
	}
	cause, err := decodeCause(stop)
	if err != nil {
		return store.Result{}, err
	}
	added, err := t.addBodies(op.Session, op.Turn, op.At, bellcord.TurnStarted{})
	added.Fence, added.Stop = fence, cause
	return added, err
}

// claimRefused returns the result of a claim that was not applied. If only the
// lease had expired, it renews the lease and claims again.
func (t *tx) claimRefused(op store.ClaimTurn) (store.Result, error) {
	facts, _, err := t.facts(op.Turn)
	if err != nil {
		return store.Result{}, err
	}
	err = t.conn.QueryRow(t.ctx, `SELECT EXISTS (SELECT 1 FROM turns WHERE session = $1 AND state = 'running')`, word(op.Session)).Scan(&facts.Busy)
	if err != nil {
		return store.Result{}, err
	}
	d := lifecycle.Claim(facts, op)
	if !d.Apply {
		return d.Result(op)
	}
	if renewed, err := t.leaseAgain(); err != nil {
		return store.Result{}, err
	} else if !renewed {
		return d.Result(op)
	}
	return t.claim(op)
}

// leaseAgain renews an expired lease if no other node has taken over this one:
// the node's row still exists, and this transaction keeps it. It reports whether
// the lease had expired.
func (t *tx) leaseAgain() (bool, error) {
	n, err := t.affected(leaseMore+` AND lease_until <= `+clock, t.s.node, t.s.opts.Lease.Nanoseconds())
	return n > 0, err
}
