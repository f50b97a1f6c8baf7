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
	stays := record.Stop != nil && !bellcord.Overrules(op.Cause, *record.Stop)
	if record.State == bellcord.Over || stays {
		return bellcord.Result{Record: &record, Stop: record.Stop}, nil
	}
	record.Stop = &op.Cause
	cause, mode := encodeCause(record.Stop)
	if err := t.exec(`UPDATE turns SET stop = $2, stop_mode = $3 WHERE id = $1`, string(op.Turn), cause, mode); err != nil {
		return bellcord.Result{}, err
	}
	added, err := t.add(record.Session, op.Turn, op.Cause.At, []bellcord.Body{bellcord.StopAsked{Cause: op.Cause}})
	added.Record, added.Stop = &record, record.Stop
	return added, err
}

// keepIntent keeps a stop for a turn that has not come, beside the rule for
// several stops: the first stays, unless it is overruled or too old.
func (t tx) keepIntent(op bellcord.AskStop) error {
	kept, err := t.intent(op.Turn, op.Cause.At)
	if err != nil {
		return err
	}
	keep := op.Cause
	if kept != nil && !bellcord.Overrules(op.Cause, *kept) {
		keep = *kept
	}
	return t.exec(`INSERT INTO intents (turn, cause, at) VALUES ($1, $2, $3)`, string(op.Turn), encode(keep), keep.At.UnixNano())
}

// finish is the one point at which every race about a turn is decided.
func (t tx) finish(op bellcord.FinishTurn) (bellcord.Result, error) {
	done, err := t.affected(`
		UPDATE turns SET state = 'ended', receipt = $4
		WHERE id = $1 AND fence = $2 AND state <> 'ended' AND node = $5 AND session = $6
		  AND ($3 = 'stopped' OR stop IS NULL OR stop_mode = 'after_step')`,
		string(op.Turn), op.Fence, string(op.Receipt.End), encode(op.Receipt), t.s.node, string(op.Session))
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
