package postgres

import (
	"errors"

	"github.com/bellcord/bellcord"
)

func (t *tx) askStop(op bellcord.AskStop) (bellcord.Result, error) {
	record, err := t.turnOf(op.Turn)
	if errors.Is(err, bellcord.ErrNoTurn) {
		return t.keepIntent(op)
	} else if err != nil {
		return bellcord.Result{}, err
	}
	if op.Owner != "" && t.ownerOf(record.Session) != op.Owner {
		return refused(bellcord.ErrNoTurn)
	}
	return t.putStop(record, op.Cause)
}

func (t *tx) ownerOf(session bellcord.SessionID) string {
	if s := t.held[session]; s != nil {
		return s.owner
	}
	return ""
}

// putStop records a stop for a turn that is there.
func (t *tx) putStop(row turnRow, stop bellcord.Cause) (bellcord.Result, error) {
	record := row.TurnRecord
	stays := record.Stop != nil && !bellcord.Overrules(stop, *record.Stop)
	if record.State != bellcord.Over && stays && bellcord.Hurries(stop, *record.Stop) {
		record.Stop.Mode = bellcord.Force
		return bellcord.Result{Record: &record, Stop: record.Stop}, t.writeStop(record)
	}
	if record.State == bellcord.Over || stays {
		return bellcord.Result{Record: &record, Stop: record.Stop}, nil
	}
	if _, err := encode(stop); err != nil {
		return refused(err)
	}
	record.Stop = &stop
	if err := t.writeStop(record); err != nil {
		return bellcord.Result{}, err
	}
	added := t.add(record.Session, record.ID, stop.At, bellcord.StopAsked{Cause: stop})
	added.Record, added.Stop = &record, record.Stop
	return added, nil
}

func (t *tx) writeStop(record bellcord.TurnRecord) error {
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

// askStops records a stop for the turns of other nodes that its scope had when
// the locks were asked for, and that have not ended since, unless by this very
// stop: it may have reached them before.
func (t *tx) askStops(op bellcord.AskStops, scope []string) (bellcord.Result, error) {
	rows, err := t.conn.Query(t.ctx, `SELECT `+turnColumns+` FROM turns 
		WHERE id = ANY ($1::text[]) AND (state <> 'ended' OR stopped_by = $3) AND node <> $2 ORDER BY accepted`, scope, t.s.node, op.Cause.At.UnixNano())
	if err != nil {
		return bellcord.Result{}, err
	}
	found, err := scanTurns(rows)
	if err != nil {
		return bellcord.Result{}, err
	}
	var result bellcord.Result
	for _, row := range found {
		one, err := t.putStop(row, op.Cause)
		if err != nil {
			return bellcord.Result{}, err
		}
		result.Records = append(result.Records, row.TurnRecord)
		result.Events = append(result.Events, one.Events...)
	}
	return result, nil
}

// keepIntent keeps a stop for a turn that has not come, beside the rule for
// several stops: the first stays, unless it is overruled or too old.
func (t *tx) keepIntent(op bellcord.AskStop) (bellcord.Result, error) {
	kept, err := t.intents(op.Turn, op.Cause.At, op.Owner)
	if err != nil {
		return bellcord.Result{}, err
	}
	if had := kept[op.Owner]; had != nil && !bellcord.Overrules(op.Cause, *had) {
		return bellcord.Result{}, nil
	}
	cause, err := encode(op.Cause)
	if err != nil {
		return refused(err)
	}
	return bellcord.Result{}, t.exec(`
		INSERT INTO intents (turn, owner, cause, at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (turn, owner) DO UPDATE SET cause = $3, at = $4`, word(op.Turn), word(op.Owner), cause, op.Cause.At.UnixNano())
}
