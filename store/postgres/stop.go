package postgres

import (
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

func (t *tx) recordStop(op store.RecordStop) (store.Result, error) {
	row, err := t.turnOf(op.Turn)
	found := &row
	if errors.Is(err, bellcord.ErrNoTurn) {
		found, err = nil, nil
	}
	facts := t.factsOf(found)
	if err == nil && found == nil {
		var kept map[string]*bellcord.Cause
		kept, err = t.intents(op.Turn, op.Cause.At, op.Owner)
		facts.Early = kept[op.Owner]
	}
	if err != nil {
		return store.Result{}, err
	}
	d := lifecycle.RecordStop(facts, op)
	switch {
	case d.Err != nil:
		return d.Result(op)
	case found == nil:
		return t.keepIntent(op, d)
	}
	return t.putStop(row.TurnRecord, d)
}

func (t *tx) ownerOf(session bellcord.SessionID) string {
	if s := t.held[session]; s != nil {
		return s.owner
	}
	return ""
}

// putStop writes a turn's stop according to the decision.
func (t *tx) putStop(record store.TurnRecord, d lifecycle.Decision) (store.Result, error) {
	record.Stop = d.Stop
	result := store.Result{Record: &record, Stop: d.Stop}
	if !d.Apply {
		return result, nil
	}
	if _, err := encode(*d.Stop); err != nil {
		return refused(err)
	}
	if err := t.writeStop(record); err != nil || !d.Event {
		return result, err
	}
	added, err := t.addBodies(record.Session, record.ID, d.Stop.At, bellcord.StopRequested{Cause: *d.Stop})
	added.Record, added.Stop = result.Record, result.Stop
	return added, err
}

func (t *tx) writeStop(record store.TurnRecord) error {
	cause, mode, err := encodeCause(record.Stop)
	if err != nil {
		return err
	}
	const query = `UPDATE turns SET stop = $2, stop_mode = $3 WHERE id = $1`
	if t.ahead.alone {
		t.later.Queue(query, word(record.ID), cause, mode)
		return nil
	}
	return t.exec(query, word(record.ID), cause, mode)
}

// recordStops records a stop for the turns that were in its scope when the locks
// were requested: those of other nodes, and those that this node has taken over. It
// skips turns that have ended since, except those that this stop has ended.
func (t *tx) recordStops(op store.RecordStops, scope []string) (store.Result, error) {
	rows, err := t.conn.Query(t.ctx, `SELECT `+turnColumns+` FROM turns 
		WHERE id = ANY ($1::text[]) AND (state <> 'ended' OR stopped_by = $3) AND (node <> $2 OR taken) ORDER BY accepted`, scope, t.s.node, op.Cause.At.UnixNano())
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
// owner's oldest one if there are too many. It skips locked rows: another node
// deletes them.
func (t *tx) keepIntent(op store.RecordStop, d lifecycle.Decision) (store.Result, error) {
	if !d.Apply {
		return store.Result{}, nil
	}
	cause, err := encode(*d.Stop)
	if err != nil {
		return refused(err)
	}
	err = t.exec(`
		INSERT INTO intents (turn, owner, cause, at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (turn, owner) DO UPDATE SET cause = $3, at = $4`, word(op.Turn), word(op.Owner), cause, d.Stop.At.UnixNano())
	if err != nil {
		return store.Result{}, err
	}
	return store.Result{}, t.exec(`
		DELETE FROM intents WHERE (turn, owner) IN (
			SELECT turn, owner FROM intents WHERE owner = $1
			  AND (at, turn) < (SELECT at, turn FROM intents WHERE owner = $1 ORDER BY at DESC, turn DESC LIMIT 1 OFFSET $2)
			FOR UPDATE SKIP LOCKED)`, word(op.Owner), store.MaxEarlyStops-1)
}
