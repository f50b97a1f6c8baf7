package postgres

import (
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
)

// claim checks, in the statement that takes the turn and raises its fence, that
// this process is still a node and its lease holds, that the turn is its own and
// that no other turn of the session runs.
func (t *tx) claim(op bellcord.ClaimTurn) (bellcord.Result, error) {
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
		return bellcord.Result{}, err
	}
	cause, err := decodeCause(stop)
	if err != nil {
		return bellcord.Result{}, err
	}
	added := t.add(op.Session, op.Turn, op.At, bellcord.Started{})
	added.Fence, added.Stop = fence, cause
	return added, nil
}

// claimRefused tells a claim that was committed before, and one that has to
// wait, from one that is not ours to make.
func (t *tx) claimRefused(op bellcord.ClaimTurn) (bellcord.Result, error) {
	record, err := t.turn(op.Turn)
	switch {
	case errors.Is(err, bellcord.ErrNoTurn):
		return refused(bellcord.ErrFenced)
	case err != nil:
		return bellcord.Result{}, err
	case record.Session != op.Session || !t.ours(record):
		return refused(bellcord.ErrFenced)
	case record.State != bellcord.Queued && record.claimed == op.At.UnixNano(): // this very op, committed before
		return bellcord.Result{Fence: record.Fence, Stop: record.Stop}, nil
	case record.State != bellcord.Queued || !t.lives:
		return refused(bellcord.ErrFenced)
	}
	renewed, err := t.leaseAgain()
	if err != nil {
		return bellcord.Result{}, err
	}
	if renewed {
		return t.claim(op)
	}
	return refused(bellcord.ErrBusy)
}

// leaseAgain renews a lease that ran out while nobody took the node for dead: its
// row is there, and stays until this transaction has ended. It reports whether
// there was need to.
func (t *tx) leaseAgain() (bool, error) {
	n, err := t.affected(leaseMore+` AND lease_until <= `+clock, t.s.node, t.s.opts.Lease.Nanoseconds())
	return n > 0, err
}
