package postgres

import (
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

func (t *tx) accept(op store.AcceptTurn) (store.Result, error) {
	facts, _, err := t.facts(op.Turn)
	if held := t.held[op.Session]; err == nil && facts.Turn == nil && held != nil {
		facts.Session, facts.Owner = true, held.owner
		err = t.early(&facts, op)
	}
	if err != nil {
		return store.Result{}, err
	}
	d := lifecycle.Accept(facts, op)
	if !d.Apply {
		return d.Result(op)
	}
	bodies := []bellcord.Body{bellcord.TurnAccepted{Prompt: op.Prompt}}
	if d.Event {
		if err := t.deleteIntents(op.Turn, "", facts.Owner); err != nil {
			return store.Result{}, err
		}
		bodies = append(bodies, bellcord.StopRequested{Cause: *d.Stop})
	}
	kept := op.Prompt
	kept.Images = nil // stored in the event only, because they are large
	prompt, err := encode(kept)
	cause, mode, bad := encodeCause(d.Stop)
	if err = errors.Join(err, bad); err != nil {
		return refused(err)
	}
	added, err := t.addBodies(op.Session, op.Turn, op.At, bodies...)
	if err != nil || added.Err != nil {
		return added, err
	}
	added.Stop = d.Stop
	t.touch(op.Session, op.At)
	return added, t.exec(`
		WITH prompt AS (INSERT INTO prompts (turn, prompt) VALUES ($1, $8))
		INSERT INTO turns (id, session, state, node, fence, applied, first_seq, accepted, stop, stop_mode)
		VALUES ($1, $2, 'queued', $3, 0, 0, $4, $5, $6, $7)`,
		word(op.Turn), word(op.Session), t.s.node, added.Events[0].Seq, op.At.UnixNano(), cause, mode, prompt)
}

// early adds the stops kept for the turn to the facts of an accept.
func (t *tx) early(f *lifecycle.Facts, op store.AcceptTurn) error {
	intents, err := t.intents(op.Turn, op.At, "", f.Owner)
	f.Early = intents[""]
	if f.Owner != "" {
		f.EarlyOwner = intents[f.Owner]
	}
	return err
}

// intents returns the unexpired stops kept for a turn, by owner. The turn's ID is
// locked, so that none is added or removed at the same time.
func (t *tx) intents(id bellcord.TurnID, now time.Time, owners ...string) (map[string]*bellcord.Cause, error) {
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = textOf(o)
	}
	rows, err := t.conn.Query(t.ctx, `SELECT owner, cause FROM intents WHERE turn = $1 AND owner = ANY ($2::text[]) AND at > $3`,
		word(id), names, now.Add(-store.EarlyStopLifetime).UnixNano())
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

func (t *tx) deleteIntents(id bellcord.TurnID, owners ...string) error {
	for _, owner := range owners {
		if err := t.exec(`DELETE FROM intents WHERE turn = $1 AND owner = $2`, word(id), word(owner)); err != nil {
			return err
		}
	}
	return nil
}

// edit changes the text of a queued turn.
func (t *tx) edit(op store.EditTurn) (store.Result, error) {
	facts, record, err := t.facts(op.Turn)
	if err != nil {
		return store.Result{}, err
	}
	if d := lifecycle.Edit(facts, op); !d.Apply {
		return d.Result(op)
	}
	record.Prompt.Text = op.Text
	prompt, err := encode(record.Prompt)
	if err != nil {
		return refused(err)
	}
	if err := t.exec(`UPDATE prompts SET prompt = $2 WHERE turn = $1`, word(op.Turn), prompt); err != nil {
		return store.Result{}, err
	}
	return t.addBodies(op.Session, op.Turn, op.At, bellcord.PromptEdited{Text: op.Text})
}
