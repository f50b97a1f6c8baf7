package postgres

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
)

func (t *tx) accept(op bellcord.AcceptTurn) (bellcord.Result, error) {
	had, err := t.turn(op.Turn)
	switch {
	case err == nil && had.Session == op.Session && had.Accepted.UnixNano() == op.At.UnixNano() && t.ours(had):
		return bellcord.Result{Stop: had.Stop}, nil // this very op, committed before
	case err == nil:
		return refused(bellcord.ErrTurnExists)
	case !errors.Is(err, bellcord.ErrNoTurn):
		return bellcord.Result{}, err
	case !t.lives: // nobody would ever end what it accepts
		return refused(bellcord.ErrFenced)
	case t.held[op.Session] == nil:
		return refused(bellcord.ErrNoSession)
	}
	stop, err := t.kept(op)
	if err != nil {
		return bellcord.Result{}, err
	}
	bodies := []bellcord.Body{bellcord.Prompted{Prompt: op.Prompt}}
	if stop != nil {
		bodies = append(bodies, bellcord.StopAsked{Cause: *stop})
	}
	kept := op.Prompt
	kept.Images = nil // the event has them, and they are large
	prompt, err := encode(kept)
	cause, mode, bad := encodeCause(stop)
	if err = errors.Join(err, bad); err != nil {
		return refused(err)
	}
	added := t.add(op.Session, op.Turn, op.At, bodies...)
	if added.Err != nil {
		return added, nil
	}
	added.Stop = stop
	t.touch(op.Session, op.At)
	return added, t.exec(`
		WITH prompt AS (INSERT INTO prompts (turn, prompt) VALUES ($1, $8))
		INSERT INTO turns (id, session, state, node, fence, applied, first_seq, accepted, stop, stop_mode)
		VALUES ($1, $2, 'queued', $3, 0, 0, $4, $5, $6, $7)`,
		word(op.Turn), word(op.Session), t.s.node, added.Events[0].Seq, op.At.UnixNano(), cause, mode, prompt)
}

// kept takes the stops that were kept for a turn: anybody's, and its owner's.
func (t *tx) kept(op bellcord.AcceptTurn) (*bellcord.Cause, error) {
	intents, err := t.intents(op.Turn, op.At, "", t.held[op.Session].owner)
	if err != nil || len(intents) == 0 {
		return nil, err
	}
	if err := t.forget(op.Turn, "", t.held[op.Session].owner); err != nil {
		return nil, err
	}
	return bellcord.Prevailing(intents[""], intents[t.held[op.Session].owner]), nil
}

// intents returns the stops that were kept for a turn and are not too old, by
// owner. The turn's id is locked: none is added or taken meanwhile.
func (t *tx) intents(id bellcord.TurnID, now time.Time, owners ...string) (map[string]*bellcord.Cause, error) {
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = textOf(o)
	}
	rows, err := t.conn.Query(t.ctx, `SELECT owner, cause FROM intents WHERE turn = $1 AND owner = ANY ($2::text[]) AND at > $3`,
		word(id), names, now.Add(-bellcord.KeepIntent).UnixNano())
	if err != nil {
		return nil, err
	}
	all := map[string]*bellcord.Cause{}
	var owner word
	var text *string
	_, err = pgx.ForEachRow(rows, []any{&owner, &text}, func() (err error) {
		all[string(owner)], err = decodeCause(text)
		return err
	})
	return all, err
}

func (t *tx) forget(id bellcord.TurnID, owners ...string) error {
	for _, owner := range owners {
		if err := t.exec(`DELETE FROM intents WHERE turn = $1 AND owner = $2`, word(id), word(owner)); err != nil {
			return err
		}
	}
	return nil
}

// edit changes the text of a turn that is ours and waits.
func (t *tx) edit(op bellcord.EditTurn) (bellcord.Result, error) {
	record, err := t.turn(op.Turn)
	switch {
	case errors.Is(err, bellcord.ErrNoTurn):
		return refused(bellcord.ErrFenced)
	case err != nil:
		return bellcord.Result{}, err
	case record.State != bellcord.Queued || record.Session != op.Session || !t.ours(record):
		return refused(bellcord.ErrFenced)
	}
	record.Prompt.Text = op.Text
	prompt, err := encode(record.Prompt)
	if err != nil {
		return refused(err)
	}
	if err := t.exec(`UPDATE prompts SET prompt = $2 WHERE turn = $1`, word(op.Turn), prompt); err != nil {
		return bellcord.Result{}, err
	}
	return t.add(op.Session, op.Turn, op.At, bellcord.Edited{Text: op.Text}), nil
}
