package sqlite

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

func (t tx) recordStop(op store.RecordStop) (store.Result, error) {
	facts, row, err := t.facts(op.Turn)
	switch {
	case err != nil:
	case facts.Turn == nil:
		facts.Early, err = t.intent(op.Turn, op.Owner, op.Cause.At)
	case op.Owner != "":
		facts.Owner, err = t.ownerOf(row.Session)
	}
	if err != nil {
		return store.Result{}, err
	}
	d := lifecycle.RecordStop(facts, op)
	switch {
	case d.Err != nil:
		return d.Result(op)
	case facts.Turn == nil:
		return store.Result{}, t.keepIntent(op, d)
	}
	return t.putStop(row.TurnRecord, d)
}

// putStop writes a turn's stop according to the decision.
func (t tx) putStop(record store.TurnRecord, d lifecycle.Decision) (store.Result, error) {
	record.Stop = d.Stop
	result := store.Result{Record: &record, Stop: d.Stop}
	if !d.Apply {
		return result, nil
	}
	if err := t.writeStop(record); err != nil || !d.Event {
		return result, err
	}
	added, err := t.addBodies(record.Session, record.ID, d.Stop.At, []bellcord.Body{bellcord.StopRequested{Cause: *d.Stop}})
	added.Record, added.Stop = result.Record, result.Stop
	return added, err
}

func (t tx) writeStop(record store.TurnRecord) error {
	cause, mode := encodeCause(record.Stop)
	return t.exec(`UPDATE turns SET stop = $2, stop_mode = $3 WHERE id = $1`, string(record.ID), cause, mode)
}

func (t tx) ownerOf(session bellcord.SessionID) (owner string, err error) {
	err = t.row(`SELECT owner FROM sessions WHERE id = $1`, string(session)).Scan(&owner)
	return owner, err
}

// recordStops records a stop for the turns in its scope at the time of the request:
// those of other nodes, and those that this node has taken over. Turns accepted
// later are not affected (law 1). Turns that this stop has already ended are
// included in the result.
func (t tx) recordStops(op store.RecordStops) (store.Result, error) {
	rows, err := t.query(`
		SELECT `+turnColumns+` FROM turns
		WHERE (state <> 'ended' AND ($4 = 1 OR state = 'running') OR stopped_by = $2) AND (node <> $1 OR taken = 1) AND accepted <= $2 + $6
		  AND ($3 = '' OR session = $3)
		  AND ($5 = '' OR EXISTS (SELECT 1 FROM sessions WHERE sessions.id = turns.session AND owner = $5))
		ORDER BY accepted`, t.s.node, op.Cause.At.UnixNano(), string(op.Session), op.Drop, op.Owner, op.Uncertainty.Nanoseconds())
	if err != nil {
		return store.Result{}, err
	}
	found, err := scanTurns(rows)
	if err != nil {
		return store.Result{}, err
	}
	var result store.Result
	for _, row := range found {
		one, err := t.putStop(row.TurnRecord, lifecycle.StopFor(row.State, row.Stop, op.Cause))
		if err != nil {
			return store.Result{}, err
		}
		result.Records = append(result.Records, row.TurnRecord)
		result.Events = append(result.Events, one.Events...)
	}
	return result, nil
}

// keepIntent keeps a stop for a turn that does not exist yet, and deletes the
// owner's oldest one if there are too many.
func (t tx) keepIntent(op store.RecordStop, d lifecycle.Decision) error {
	if !d.Apply {
		return nil
	}
	err := t.exec(`
		INSERT INTO intents (turn, owner, cause, at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (turn, owner) DO UPDATE SET cause = $3, at = $4`, string(op.Turn), op.Owner, encode(*d.Stop), d.Stop.At.UnixNano())
	if err != nil {
		return err
	}
	return t.exec(`
		DELETE FROM intents WHERE owner = $1
		  AND (at, turn) < (SELECT at, turn FROM intents WHERE owner = $1 ORDER BY at DESC, turn DESC LIMIT 1 OFFSET $2)`,
		op.Owner, store.MaxEarlyStops-1)
}

// finish ends a turn. Its one statement resolves every race about the turn.
func (t tx) finish(op store.FinishTurn) (store.Result, error) {
	head, err := t.head(op.Session)
	if err != nil {
		return store.Result{}, err
	}
	receipt := op.Receipt
	receipt.LogHead = &head
	done, err := t.affected(`
		UPDATE turns SET state = 'ended', receipt = $4, stopped_by = $7
		WHERE id = $1 AND fence = $2 AND state <> 'ended' AND node = $5 AND session = $6
		  AND ($3 = 'stopped' OR stop IS NULL OR stop_mode = 'after_step')`,
		string(op.Turn), op.Fence, string(op.Receipt.End), encode(receipt), t.s.node, string(op.Session), op.StoppedBy())
	if err != nil {
		return store.Result{}, err
	}
	if done == 0 {
		return t.finishRefused(op)
	}
	if _, err := t.touch(op.Session, op.At); err != nil {
		return store.Result{}, err
	}
	if err := t.spend(op); err != nil {
		return store.Result{}, err
	}
	return t.addBodies(op.Session, op.Turn, op.At, []bellcord.Body{bellcord.TurnEnded{Receipt: receipt}})
}

// finishRefused returns the result of a finish that was not applied.
func (t tx) finishRefused(op store.FinishTurn) (store.Result, error) {
	facts, row, err := t.facts(op.Turn)
	if err != nil {
		return store.Result{}, err
	}
	if facts.Turn != nil {
		facts.Turn.SameReceipt = lifecycle.SameReceipt(row.Receipt, op.Receipt)
	}
	return lifecycle.Finish(facts, op).Result(op)
}
