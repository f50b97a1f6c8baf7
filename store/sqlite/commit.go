package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	results := make([]store.Result, len(ops))
	err := s.transact(ctx, func(t tx) error {
		for i := 0; i < len(ops); {
			n, err := together(ops[i:]), error(nil)
			if n > 1 {
				err = t.appendTogether(ops[i:i+n], results[i:i+n])
			} else {
				n = 1
				results[i], err = t.carryOut(ops[i])
			}
			if err != nil {
				return fmt.Errorf("%T: %w", ops[i], err)
			}
			i += n
			// A commit contains ops of many turns. On few cores, let other
			// goroutines, such as a stop, run in between.
			runtime.Gosched()
		}
		return nil
	})
	return results, err
}

// tx is the current transaction. A rejected op is a result; an error ends the
// transaction.
type tx struct {
	ctx context.Context
	s   *Store
}

func (t tx) carryOut(op store.Op) (store.Result, error) {
	switch op := op.(type) {
	case store.PutSession:
		return t.putSession(op)
	case store.DeleteSession:
		return t.deleteSession(op.ID)
	case store.AcceptTurn:
		return t.accept(op)
	case store.ClaimTurn:
		return t.claim(op)
	case store.AppendEvents:
		return t.appendEvents(op)
	case store.EditTurn:
		return t.edit(op)
	case store.RecordStop:
		return t.recordStop(op)
	case store.RecordStops:
		return t.recordStops(op)
	case store.FinishTurn:
		return t.finish(op)
	}
	return store.Result{}, errors.New("unknown op")
}

func refused(err error) (store.Result, error) { return store.Result{Err: err}, nil }

func (t tx) putSession(op store.PutSession) (store.Result, error) {
	v := op.Session
	if op.Existing {
		was, dirs := op.Was, any(nil)
		if !slices.Equal(was.AdditionalDirs, v.AdditionalDirs) {
			dirs = dirList(v.AdditionalDirs)
		}
		done, err := t.affected(`
			UPDATE sessions SET dir = coalesce($2, dir), title = coalesce($3, title), model = coalesce($4, model), mode = coalesce($5, mode),
				updated = max(updated, $6), agent = coalesce($7, agent), additional_dirs = coalesce($8, additional_dirs),
				effort = coalesce($9, effort), auto_title = coalesce($10, auto_title) WHERE id = $1`,
			string(v.ID), changed(was.Dir, v.Dir), changed(was.Title, v.Title), changed(was.Model, v.Model), changed(was.Mode, v.Mode),
			v.Updated.UnixNano(), changed(was.Agent, v.Agent), dirs,
			changed(was.Effort, v.Effort), changed(was.AutoTitle, v.AutoTitle))
		if err == nil && done == 0 {
			return refused(bellcord.ErrNoSession)
		}
		return store.Result{}, err
	}
	return store.Result{}, t.exec(`
		INSERT INTO sessions (id, dir, title, model, mode, created, updated, agent, owner, additional_dirs, effort, auto_title) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (id) DO UPDATE SET dir = $2, title = $3, model = $4, mode = $5, updated = max(updated, $7), agent = $8, additional_dirs = $10, effort = $11, auto_title = $12`,
		string(v.ID), v.Dir, v.Title, v.Model, v.Mode, v.Created.UnixNano(), v.Updated.UnixNano(), v.Agent, v.Owner, dirList(v.AdditionalDirs), v.Effort, v.AutoTitle)
}

// changed returns the new value, or nil if it is the old one.
func changed[T comparable](was, now T) any {
	if was == now {
		return nil
	}
	return now
}

func (t tx) deleteSession(id bellcord.SessionID) (store.Result, error) {
	for _, q := range []string{
		`DELETE FROM events WHERE session = $1`,
		`DELETE FROM shares WHERE session = $1`,
		`DELETE FROM prompts WHERE turn IN (SELECT id FROM turns WHERE session = $1)`,
		`DELETE FROM turns WHERE session = $1`,
		`DELETE FROM sessions WHERE id = $1`,
	} {
		if err := t.exec(q, string(id)); err != nil {
			return store.Result{}, err
		}
	}
	delete(t.s.tails.last, id)
	return store.Result{}, nil
}

func (t tx) appendEvents(op store.AppendEvents) (store.Result, error) {
	if op.Turn == "" {
		if touched, err := t.touch(op.Session, op.At); err != nil || touched == 0 {
			return store.Result{Err: bellcord.ErrNoSession}, err
		}
		return t.addBodies(op.Session, "", op.At, op.Bodies)
	}
	var stop sql.NullString
	err := t.row(`
		UPDATE turns SET applied = $3
		WHERE id = $1 AND fence = $2 AND state = 'running' AND applied = $3 - 1 AND node = $4 AND session = $5
		RETURNING stop`, string(op.Turn), op.Fence, op.N, t.s.node, string(op.Session)).Scan(&stop)
	if errors.Is(err, sql.ErrNoRows) {
		return t.appendRefused(op)
	} else if err != nil {
		return store.Result{}, err
	}
	cause, err := decodeCause(stop)
	if err != nil {
		return store.Result{}, err
	}
	added, err := t.addBodies(op.Session, op.Turn, op.At, op.Bodies)
	added.Stop = cause
	return added, err
}

// appendRefused returns the result of an append that was not applied.
func (t tx) appendRefused(op store.AppendEvents) (store.Result, error) {
	facts, _, err := t.facts(op.Turn)
	if err != nil {
		return store.Result{}, err
	}
	return lifecycle.Append(facts, op).Result(op)
}

// addBodies appends bodies to a session's log.
func (t tx) addBodies(session bellcord.SessionID, turn bellcord.TurnID, at time.Time, bodies []bellcord.Body) (store.Result, error) {
	added, err := t.number(store.AppendEvents{Session: session, Turn: turn, At: at, Bodies: bodies})
	if err != nil {
		return store.Result{}, err
	}
	return added.Result, t.insert(added.rows)
}

func cannotWrite(b bellcord.Body, err error) error {
	return fmt.Errorf("cannot encode %s event: %w", b.Kind(), err)
}
