package sqlite

import (
	"database/sql"
	"errors"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

func (t tx) accept(op store.AcceptTurn) (store.Result, error) {
	facts, _, err := t.facts(op.Turn)
	if err == nil && facts.Turn == nil {
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
	added, err := t.addBodies(op.Session, op.Turn, op.At, bodies)
	if err != nil || added.Err != nil {
		return added, err
	}
	added.Stop = d.Stop
	return added, t.insertTurn(op, added.Events[0].Seq, d.Stop)
}

func (t tx) insertTurn(op store.AcceptTurn, first int64, stop *bellcord.Cause) error {
	if _, err := t.touch(op.Session, op.At); err != nil {
		return err
	}
	cause, mode := encodeCause(stop)
	err := t.exec(`
		INSERT INTO turns (id, session, state, node, fence, applied, first_seq, accepted, stop, stop_mode)
		VALUES ($1, $2, 'queued', $3, 0, 0, $4, $5, $6, $7)`,
		string(op.Turn), string(op.Session), t.s.node, first, op.At.UnixNano(), cause, mode)
	if err != nil {
		return err
	}
	kept := op.Prompt
	kept.Images = nil // stored in the event only, because they are large
	return t.exec(`INSERT INTO prompts (turn, prompt) VALUES ($1, $2)`, string(op.Turn), encode(kept))
}

// touch updates the time of the last change of a session. It returns 0 if the
// session does not exist.
func (t tx) touch(session bellcord.SessionID, at time.Time) (int64, error) {
	return t.affected(`UPDATE sessions SET updated = max(updated, $2) WHERE id = $1`, string(session), at.UnixNano())
}

// early adds the facts that only an accept needs: whether this node is alive,
// whether the session exists, and the stops kept for the turn.
func (t tx) early(f *lifecycle.Facts, op store.AcceptTurn) (err error) {
	f.Alive = t.isNode()
	f.Owner, err = t.ownerOf(op.Session)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	} else if err != nil {
		return err
	}
	f.Session = true
	if f.Early, err = t.intent(op.Turn, "", op.At); err != nil || f.Owner == "" {
		return err
	}
	f.EarlyOwner, err = t.intent(op.Turn, f.Owner, op.At)
	return err
}

// intent returns the stop kept for a turn, or nil if it does not exist or has
// expired.
func (t tx) intent(id bellcord.TurnID, owner string, now time.Time) (*bellcord.Cause, error) {
	if err := t.exec(`DELETE FROM intents WHERE at <= $1`, now.Add(-store.EarlyStopLifetime).UnixNano()); err != nil {
		return nil, err
	}
	var cause string
	err := t.row(`SELECT cause FROM intents WHERE turn = $1 AND owner = $2`, string(id), owner).Scan(&cause)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return decodeCause(sql.NullString{String: cause, Valid: true})
}

// deleteIntents deletes the stops kept for a turn.
func (t tx) deleteIntents(id bellcord.TurnID, owners ...string) error {
	for _, owner := range owners {
		if err := t.exec(`DELETE FROM intents WHERE turn = $1 AND owner = $2`, string(id), owner); err != nil {
			return err
		}
	}
	return nil
}

// edit changes the text of a queued turn.
func (t tx) edit(op store.EditTurn) (store.Result, error) {
	facts, row, err := t.facts(op.Turn)
	if err != nil {
		return store.Result{}, err
	}
	if d := lifecycle.Edit(facts, op); !d.Apply {
		return d.Result(op)
	}
	row.Prompt.Text = op.Text
	if err := t.exec(`UPDATE prompts SET prompt = $2 WHERE turn = $1`, string(op.Turn), encode(row.Prompt)); err != nil {
		return store.Result{}, err
	}
	return t.addBodies(op.Session, op.Turn, op.At, []bellcord.Body{bellcord.PromptEdited{Text: op.Text}})
}

// claim starts a turn and increments its fence. The same statement checks that
// the turn belongs to this node and that no other turn of the session is running.
func (t tx) claim(op store.ClaimTurn) (store.Result, error) {
	var fence int64
	var stop sql.NullString
	err := t.row(`
		UPDATE turns SET state = 'running', fence = fence + 1, claimed = $4
		WHERE id = $1 AND state = 'queued' AND node = $2 AND session = $3
		  AND NOT EXISTS (SELECT 1 FROM turns AS other WHERE other.session = $3 AND other.state = 'running')
		RETURNING fence, stop`, string(op.Turn), t.s.node, string(op.Session), op.At.UnixNano()).Scan(&fence, &stop)
	if errors.Is(err, sql.ErrNoRows) {
		return t.claimRefused(op)
	} else if err != nil {
		return store.Result{}, err
	}
	cause, err := decodeCause(stop)
	if err != nil {
		return store.Result{}, err
	}
	added, err := t.addBodies(op.Session, op.Turn, op.At, []bellcord.Body{bellcord.TurnStarted{}})
	added.Fence, added.Stop = fence, cause
	return added, err
}

// claimRefused returns the result of a claim that was not applied.
func (t tx) claimRefused(op store.ClaimTurn) (store.Result, error) {
	facts, _, err := t.facts(op.Turn)
	if err != nil {
		return store.Result{}, err
	}
	var one int
	facts.Busy = t.row(`SELECT 1 FROM turns WHERE session = $1 AND state = 'running'`, string(op.Session)).Scan(&one) == nil
	return lifecycle.Claim(facts, op).Result(op)
}
