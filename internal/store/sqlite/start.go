package sqlite

import (
	"database/sql"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
)

func (t tx) accept(op bellcord.AcceptTurn) (bellcord.Result, error) {
	had, err := t.turn(op.Turn)
	switch {
	case err == nil && had.Session == op.Session && had.Accepted.UnixNano() == op.At.UnixNano() && t.ours(op.Turn):
		return bellcord.Result{Stop: had.Stop}, nil // this very op, committed before
	case err == nil:
		return refused(bellcord.ErrTurnExists)
	case !errors.Is(err, bellcord.ErrNoTurn):
		return bellcord.Result{}, err
	case !t.isNode(): // nobody would ever end what it accepts
		return refused(bellcord.ErrFenced)
	}
	touched, err := t.touch(op.Session, op.At)
	if err != nil || touched == 0 {
		return bellcord.Result{Err: bellcord.ErrNoSession}, err
	}
	stop, err := t.kept(op)
	if err != nil {
		return bellcord.Result{}, err
	}
	bodies := []bellcord.Body{bellcord.Prompted{Prompt: op.Prompt}}
	if stop != nil {
		bodies = append(bodies, bellcord.StopAsked{Cause: *stop})
	}
	added, err := t.add(op.Session, op.Turn, op.At, bodies)
	if err != nil || added.Err != nil {
		return added, err
	}
	cause, mode := encodeCause(stop)
	kept := op.Prompt
	kept.Images = nil // the event has them, and they are large
	err = t.exec(`
		INSERT INTO turns (id, session, state, node, fence, applied, first_seq, accepted, stop, stop_mode)
		VALUES ($1, $2, 'queued', $3, 0, 0, $4, $5, $6, $7)`,
		string(op.Turn), string(op.Session), t.s.node, added.Events[0].Seq, op.At.UnixNano(), cause, mode)
	if err == nil {
		err = t.exec(`INSERT INTO prompts (turn, prompt) VALUES ($1, $2)`, string(op.Turn), encode(kept))
	}
	added.Stop = stop
	return added, err
}

// touch notes that something happened in a session.
func (t tx) touch(session bellcord.SessionID, at time.Time) (int64, error) {
	return t.affected(`UPDATE sessions SET updated = max(updated, $2) WHERE id = $1`, string(session), at.UnixNano())
}

// kept takes the stops that were kept for a turn: anybody's, and its owner's.
func (t tx) kept(op bellcord.AcceptTurn) (*bellcord.Cause, error) {
	var owner string
	if err := t.row(`SELECT owner FROM sessions WHERE id = $1`, string(op.Session)).Scan(&owner); err != nil {
		return nil, err
	}
	first, err := t.intent(op.Turn, "", op.At)
	if err != nil || owner == "" {
		return first, err
	}
	own, err := t.intent(op.Turn, owner, op.At)
	return bellcord.Prevailing(first, own), err
}

// intent takes the stop that was kept for a turn, if it is not too old.
func (t tx) intent(id bellcord.TurnID, owner string, now time.Time) (*bellcord.Cause, error) {
	if err := t.exec(`DELETE FROM intents WHERE at <= $1`, now.Add(-bellcord.KeepIntent).UnixNano()); err != nil {
		return nil, err
	}
	var cause string
	err := t.row(`DELETE FROM intents WHERE turn = $1 AND owner = $2 RETURNING cause`, string(id), owner).Scan(&cause)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return decodeCause(sql.NullString{String: cause, Valid: true})
}

// edit changes the text of a turn that is ours and waits.
func (t tx) edit(op bellcord.EditTurn) (bellcord.Result, error) {
	record, err := t.turn(op.Turn)
	switch {
	case errors.Is(err, bellcord.ErrNoTurn):
		return refused(bellcord.ErrFenced)
	case err != nil:
		return bellcord.Result{}, err
	case record.State != bellcord.Queued || record.Session != op.Session || !t.ours(op.Turn):
		return refused(bellcord.ErrFenced)
	}
	record.Prompt.Text = op.Text
	if err := t.exec(`UPDATE prompts SET prompt = $2 WHERE turn = $1`, string(op.Turn), encode(record.Prompt)); err != nil {
		return bellcord.Result{}, err
	}
	return t.add(op.Session, op.Turn, op.At, []bellcord.Body{bellcord.Edited{Text: op.Text}})
}

// claim checks, in the statement that takes the turn and raises its fence, that
// this process is still a node, that the turn is its own and that no other turn
// of the session runs.
func (t tx) claim(op bellcord.ClaimTurn) (bellcord.Result, error) {
	var fence int64
	var stop sql.NullString
	err := t.row(`
		UPDATE turns SET state = 'running', fence = fence + 1, claimed = $4
		WHERE id = $1 AND state = 'queued' AND node = $2 AND session = $3
		  AND EXISTS (SELECT 1 FROM nodes WHERE id = $2)
		  AND NOT EXISTS (SELECT 1 FROM turns AS other WHERE other.session = $3 AND other.state = 'running')
		RETURNING fence, stop`, string(op.Turn), t.s.node, string(op.Session), op.At.UnixNano()).Scan(&fence, &stop)
	if errors.Is(err, sql.ErrNoRows) {
		return t.claimRefused(op)
	} else if err != nil {
		return bellcord.Result{}, err
	}
	cause, err := decodeCause(stop)
	if err != nil {
		return bellcord.Result{}, err
	}
	added, err := t.add(op.Session, op.Turn, op.At, []bellcord.Body{bellcord.Started{}})
	added.Fence, added.Stop = fence, cause
	return added, err
}

func (t tx) claimedAt(id bellcord.TurnID) (at int64) {
	_ = t.row(`SELECT claimed FROM turns WHERE id = $1`, string(id)).Scan(&at) // 0 when it cannot be told: no replay
	return at
}

// claimRefused tells a claim that was committed before, and one that has to
// wait, from one that is not ours to make.
func (t tx) claimRefused(op bellcord.ClaimTurn) (bellcord.Result, error) {
	record, err := t.turn(op.Turn)
	switch {
	case errors.Is(err, bellcord.ErrNoTurn):
		return refused(bellcord.ErrFenced)
	case err != nil:
		return bellcord.Result{}, err
	case record.Session != op.Session || !t.ours(op.Turn):
		return refused(bellcord.ErrFenced)
	case record.State != bellcord.Queued && t.claimedAt(op.Turn) == op.At.UnixNano(): // this very op, committed before
		return bellcord.Result{Fence: record.Fence, Stop: record.Stop}, nil
	case record.State == bellcord.Queued && t.isNode():
		return refused(bellcord.ErrBusy)
	}
	return refused(bellcord.ErrFenced)
}
