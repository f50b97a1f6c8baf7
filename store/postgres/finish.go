package postgres

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
)

// finish is the one point at which every race about a turn is decided.
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
		return t.finishRefused(op, receipt)
	}
	t.touch(op.Session, op.At)
	t.spend(op)
	return t.addBodies(op.Session, op.Turn, op.At, bellcord.TurnEnded{Receipt: op.Receipt}), nil
}

func (t *tx) finishing(op bellcord.FinishTurn, receipt string) (query string, args []any) {
	return `
		UPDATE turns SET state = 'ended', receipt = $4, stopped_by = $7
		WHERE id = $1 AND fence = $2 AND state <> 'ended' AND node = $5 AND session = $6
		  AND ($3 = 'stopped' OR stop IS NULL OR stop_mode = 'after_step')`,
		[]any{word(op.Turn), op.Fence, word(op.Receipt.End), receipt, t.s.node, word(op.Session), op.StoppedBy()}
}

// finishRefused answers a finish that was not carried out.
func (t *tx) finishRefused(op bellcord.FinishTurn, receipt string) (bellcord.Result, error) {
	facts, row, err := t.facts(op.Turn)
	if err != nil {
		return bellcord.Result{}, err
	}
	if facts.Turn != nil {
		facts.Turn.SameReceipt = row.receipt == receipt
	}
	return lifecycle.Finish(facts, op).Result(op)
}
