package sqlite

import (
	"errors"

	"github.com/bellcord/bellcord"
)

func (t tx) askStop(op bellcord.AskStop) (bellcord.Result, error) {
	record, err := t.turn(op.Turn)
	if errors.Is(err, bellcord.ErrNoTurn) {
		return bellcord.Result{}, t.keepIntent(op)
	} else if err != nil {
		return bellcord.Result{}, err
	}
	if op.Owner != "" && !t.isOf(record.Session, op.Owner) {
		return refused(bellcord.ErrNoTurn)
	}
	return t.putStop(record, op.Cause)
}

// putStop records a stop for a turn that is there.
func (t tx) putStop(record bellcord.TurnRecord, stop bellcord.Cause) (bellcord.Result, error) {
	stays := record.Stop != nil && !bellcord.Overrules(stop, *record.Stop)
	if record.State != bellcord.Over && stays && bellcord.Hurries(stop, *record.Stop) {
		record.Stop.Mode = bellcord.Force
		return bellcord.Result{Record: &record, Stop: record.Stop}, t.writeStop(record)
	}
	if record.State == bellcord.Over || stays {
		return bellcord.Result{Record: &record, Stop: record.Stop}, nil
	}
	record.Stop = &stop
	if err := t.writeStop(record); err != nil {
		return bellcord.Result{}, err
	}
	added, err := t.add(record.Session, record.ID, stop.At, []bellcord.Body{bellcord.StopAsked{Cause: stop}})
	added.Record, added.Stop = &record, record.Stop
	return added, err
}

func (t tx) writeStop(record bellcord.TurnRecord) error {
	cause, mode := encodeCause(record.Stop)
	return t.exec(`UPDATE turns SET stop = $2, stop_mode = $3 WHERE id = $1`, string(record.ID), cause, mode)
}

func (t tx) isOf(session bellcord.SessionID, owner string) bool {
	var one int
	return t.row(`SELECT 1 FROM sessions WHERE id = $1 AND owner = $2`, string(session), owner).Scan(&one) == nil
}

// askStops records a stop for the turns of other nodes in a scope, as it was
// when the stop was asked for: what came behind it is not touched (law 1), and
// what it has ended already is answered.
func (t tx) askStops(op bellcord.AskStops) (bellcord.Result, error) {
	rows, err := t.query(`
		SELECT `+turnColumns+` FROM turns
		WHERE (state <> 'ended' AND ($4 = 1 OR state = 'running') OR stopped_by = $2) AND node <> $1 AND accepted <= $2
		  AND ($3 = '' OR session = $3)
		  AND ($5 = '' OR EXISTS (SELECT 1 FROM sessions WHERE sessions.id = turns.session AND owner = $5))
		ORDER BY accepted`, t.s.node, op.Cause.At.UnixNano(), string(op.Session), op.Drop, op.Owner)
	if err != nil {
		return bellcord.Result{}, err
	}
	records, err := scanTurns(rows)
	if err != nil {
		return bellcord.Result{}, err
	}
	result := bellcord.Result{Records: records}
	for _, r := range records {
		one, err := t.putStop(r, op.Cause)
		if err != nil {
			return bellcord.Result{}, err
		}
		result.Events = append(result.Events, one.Events...)
	}
	return result, nil
}

// keepIntent keeps a stop for a turn that has not come, beside the rule for
// several stops: the first stays, unless it is overruled or too old.
func (t tx) keepIntent(op bellcord.AskStop) error {
	kept, err := t.intent(op.Turn, op.Owner, op.Cause.At)
	if err != nil {
		return err
	}
	keep := op.Cause
	if kept != nil && !bellcord.Overrules(op.Cause, *kept) {
		keep = *kept
	}
	return t.exec(`INSERT INTO intents (turn, owner, cause, at) VALUES ($1, $2, $3, $4)`, string(op.Turn), op.Owner, encode(keep), keep.At.UnixNano())
}

// finish is the one point at which every race about a turn is decided.
func (t tx) finish(op bellcord.FinishTurn) (bellcord.Result, error) {
	done, err := t.affected(`
		UPDATE turns SET state = 'ended', receipt = $4, stopped_by = $7
		WHERE id = $1 AND fence = $2 AND state <> 'ended' AND node = $5 AND session = $6
		  AND ($3 = 'stopped' OR stop IS NULL OR stop_mode = 'after_step')`,
		string(op.Turn), op.Fence, string(op.Receipt.End), encode(op.Receipt), t.s.node, string(op.Session), op.StoppedBy())
	if err != nil {
		return bellcord.Result{}, err
	}
	if done == 0 {
		return t.finishRefused(op)
	}
	if _, err := t.touch(op.Session, op.At); err != nil {
		return bellcord.Result{}, err
	}
	if err := t.spend(op); err != nil {
		return bellcord.Result{}, err
	}
	return t.add(op.Session, op.Turn, op.At, []bellcord.Body{bellcord.Ended{Receipt: op.Receipt}})
}

func (t tx) finishRefused(op bellcord.FinishTurn) (bellcord.Result, error) {
	record, err := t.turn(op.Turn)
	switch {
	case errors.Is(err, bellcord.ErrNoTurn):
		return refused(bellcord.ErrFenced)
	case err != nil:
		return bellcord.Result{}, err
	case !t.ours(op.Turn) || record.Session != op.Session || record.Fence != op.Fence:
		return refused(bellcord.ErrFenced)
	case record.State == bellcord.Over && encode(*record.Receipt) == encode(op.Receipt):
		return bellcord.Result{}, nil // this very op, committed before
	case record.State != bellcord.Over && record.Stop != nil:
		return bellcord.Result{Err: bellcord.ErrStopAsked, Stop: record.Stop}, nil
	}
	return refused(bellcord.ErrFenced)
}
