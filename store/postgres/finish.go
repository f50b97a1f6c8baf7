package postgres

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
)

// finish ends a turn. Its one statement resolves every race about the turn.
func (t *tx) finish(op bellcord.FinishTurn) (bellcord.Result, error) {
	receipt, err := encode(op.Receipt)
	if err != nil {
		return refused(err)
	}
	done := t.ahead.ended
	if t.ahead.ended = nil; done == nil {
		query, args := t.finishing(op, receipt)
		n, err := t.affected(query, args...)
		if err != nil {
			return bellcord.Result{}, err
		}
		done = &n
	}
	if *done == 0 {
		return t.finishRefused(op)
	}
	t.touch(op.Session, op.At)
	t.spend(op)
	ended := op.Receipt
	if ended.LogHead = t.headOf(op.Session); ended.LogHead != nil {
		if receipt, err = encode(ended); err != nil {
			return refused(err)
		}
		if err := t.setReceipt(op.Turn, receipt); err != nil {
			return bellcord.Result{}, err
		}
	}
	return t.addBodies(op.Session, op.Turn, op.At, bellcord.TurnEnded{Receipt: ended}), nil
}

func (t *tx) finishing(op bellcord.FinishTurn, receipt string) (query string, args []any) {
	return `
		UPDATE turns SET state = 'ended', receipt = $4, stopped_by = $7
		WHERE id = $1 AND fence = $2 AND state <> 'ended' AND node = $5 AND session = $6
		  AND ($3 = 'stopped' OR stop IS NULL OR stop_mode = 'after_step')`,
		[]any{word(op.Turn), op.Fence, word(op.Receipt.End), receipt, t.s.node, word(op.Session), op.StoppedBy()}
}

// setReceipt writes the receipt of an ended turn: with the commit, or now if
// another op of the batch may read it.
func (t *tx) setReceipt(id bellcord.TurnID, receipt string) error {
	const query = `UPDATE turns SET receipt = $2 WHERE id = $1`
	if t.ahead.alone {
		t.later.Queue(query, word(id), receipt)
		return nil
	}
	return t.exec(query, word(id), receipt)
}

// headOf returns the head of a session's log, nil where the session is not held.
// The statement of an end may have been sent before the head was known, so the
// receipt gets it with the commit.
func (t *tx) headOf(session bellcord.SessionID) *bellcord.LogHead {
	s := t.held[session]
	if s == nil {
		return nil
	}
	head := s.head
	return &head
}

// finishRefused returns the result of a finish that was not applied.
func (t *tx) finishRefused(op bellcord.FinishTurn) (bellcord.Result, error) {
	facts, row, err := t.facts(op.Turn)
	if err != nil {
		return bellcord.Result{}, err
	}
	if facts.Turn != nil {
		facts.Turn.SameReceipt = lifecycle.SameReceipt(row.Receipt, op.Receipt)
	}
	return lifecycle.Finish(facts, op).Result(op)
}
