package postgres

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// finish ends a turn. Its one statement resolves every race about the turn.
func (t *tx) finish(op store.FinishTurn) (store.Result, error) {
	ended := op.Receipt
	ended.LogHead = t.headOf(op.Session)
	receipt, err := encode(ended)
	if err != nil {
		return refused(err)
	}
	done := t.ahead.ended
	if t.ahead.ended = nil; done == nil {
		query, args := t.finishing(op, receipt, `$4`)
		n, err := t.affected(query, args...)
		if err != nil {
			return store.Result{}, err
		}
		done = &n
	}
	if *done == 0 {
		return t.finishRefused(op)
	}
	t.touch(op.Session, op.At)
	t.spend(op)
	return t.addBodies(op.Session, op.Turn, op.At, bellcord.TurnEnded{Receipt: ended})
}

// withHead adds the head of the log to the receipt $4 in SQL, for a statement that
// is sent before the head is read. No op of the batch has appended to the log yet.
const withHead = `coalesce((SELECT left($4, -1) || ',"log_head":{"seq":' || last_seq || ',"hash":"' || encode(hash, 'hex') || '"}}' FROM tails WHERE tails.session = $6), $4)`

// finishing returns the statement that ends a turn. value is the expression of the
// stored receipt: $4 or withHead.
func (t *tx) finishing(op store.FinishTurn, receipt, value string) (query string, args []any) {
	return `
		UPDATE turns SET state = 'ended', receipt = ` + value + `, stopped_by = $7
		WHERE id = $1 AND fence = $2 AND state <> 'ended' AND node = $5 AND session = $6
		  AND ($3 = 'stopped' OR stop IS NULL OR stop_mode = 'after_step')`,
		[]any{word(op.Turn), op.Fence, word(op.Receipt.End), receipt, t.s.node, word(op.Session), op.StoppedBy()}
}

// headOf returns the head of a session's log, nil if the session is not held.
func (t *tx) headOf(session bellcord.SessionID) *bellcord.LogHead {
	s := t.held[session]
	if s == nil {
		return nil
	}
	head := s.head
	return &head
}

// finishRefused returns the result of a finish that was not applied.
func (t *tx) finishRefused(op store.FinishTurn) (store.Result, error) {
	facts, row, err := t.facts(op.Turn)
	if err != nil {
		return store.Result{}, err
	}
	if facts.Turn != nil {
		facts.Turn.SameReceipt = lifecycle.SameReceipt(row.Receipt, op.Receipt)
	}
	return lifecycle.Finish(facts, op).Result(op)
}
