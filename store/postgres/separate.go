package postgres

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// rejects reports whether an error is about a value and not about the state of
// the database. The SQLSTATE classes are: data exception, integrity constraint
// violation, and program limit exceeded. The same value fails again.
func rejects(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && slices.Contains([]string{"22", "23", "54"}, pgErr.Code[:2])
}

func rejected(err error) store.Result {
	return store.Result{Err: fmt.Errorf("%w: %w", bellcord.ErrRejected, err)}
}

// longestKey limits the bytes of an id or a name in an index. The longest index
// has three of them, and a row of an index has at most 2,704 bytes.
const longestKey = 768

// errLongKey is the reason for rejecting an op with an id that no index holds.
var errLongKey = fmt.Errorf("an id or a name has more than %d bytes", longestKey)

// keysOf returns the ids of an op. They are part of the locks of the batch, which
// are taken before any op is applied.
func keysOf(op store.Op) []string {
	switch op := op.(type) {
	case store.PutSession:
		return []string{string(op.Session.ID), op.Session.Owner}
	case store.DeleteSession:
		return []string{string(op.ID)}
	case store.AcceptTurn:
		return []string{string(op.Session), string(op.Turn)}
	case store.ClaimTurn:
		return []string{string(op.Session), string(op.Turn)}
	case store.AppendEvents:
		return []string{string(op.Session), string(op.Turn)}
	case store.EditTurn:
		return []string{string(op.Session), string(op.Turn)}
	case store.RecordStop:
		return []string{string(op.Turn), op.Owner}
	case store.RecordStops:
		return []string{string(op.Session), op.Owner}
	case store.FinishTurn:
		return []string{string(op.Session), string(op.Turn)}
	}
	return nil
}

func hasLongKey(op store.Op) bool {
	return slices.ContainsFunc(keysOf(op), func(key string) bool { return len(textOf(key)) > longestKey })
}

// carryOutSeparately applies the ops of a batch in which the database has
// rejected a value, so that only the op with the value is rejected. It looks for
// that op in halves: with a savepoint for each op, a batch needs four round trips
// per op, and a distant database does not complete it within mostCommit.
// isWhole means that the database has rejected these ops together.
func (t *tx) carryOutSeparately(ops []store.Op, texts []encoded, results []store.Result, isWhole bool) error {
	if err := t.exec(`SAVEPOINT op`); err != nil {
		return err
	}
	if isWhole && len(ops) > 1 {
		return t.carryOutHalves(0, ops, texts, results)
	}
	return t.carryOutPart(0, ops, texts, results)
}

// carryOutPart applies a part of the batch, which begins at the given place. If
// the database rejects a value in it, it applies the part in halves, and rejects
// an op that is alone. The savepoint is at the beginning of the part.
func (t *tx) carryOutPart(place int, ops []store.Op, texts []encoded, results []store.Result) error {
	before := t.copyHeld()
	err := t.carryOutAll(place, ops, texts, results)
	if err == nil {
		err = t.flush()
	}
	if err == nil {
		return t.moveSavepoint()
	}
	if !rejects(err) {
		return err
	}
	clear(results)
	if err := t.undoPart(before); err != nil {
		return err
	}
	if len(ops) > 1 {
		return t.carryOutHalves(place, ops, texts, results)
	}
	results[0] = rejected(err)
	return t.useNumber(ops)
}

func (t *tx) carryOutHalves(place int, ops []store.Op, texts []encoded, results []store.Result) error {
	half := len(ops) / 2
	if err := t.carryOutPart(place, ops[:half], texts[:half], results[:half]); err != nil {
		return err
	}
	return t.carryOutPart(place+half, ops[half:], texts[half:], results[half:])
}

// moveSavepoint keeps the effects of a part, and sets the savepoint for the next
// one, in one round trip.
func (t *tx) moveSavepoint() error { return t.exec(`RELEASE SAVEPOINT op; SAVEPOINT op`) }

// undoPart removes the effects of a part and keeps the savepoint.
func (t *tx) undoPart(before map[bellcord.SessionID]*tail) error {
	t.held, t.later = before, &pgx.Batch{}
	t.rows.empty()
	return t.exec(`ROLLBACK TO SAVEPOINT op`)
}

// useNumber uses the number of a rejected append to a turn, as one that cannot be
// encoded does, so that the later appends of the turn are applied.
func (t *tx) useNumber(op []store.Op) error {
	if together(op) == 0 {
		return nil
	}
	if _, err := t.advance(op); err != nil {
		return fmt.Errorf("%T: %w", op[0], err)
	}
	return t.moveSavepoint()
}

func (t *tx) copyHeld() map[bellcord.SessionID]*tail {
	held := maps.Clone(t.held)
	for id, s := range held {
		kept := *s
		held[id] = &kept
	}
	return held
}

// flush writes the delayed rows before the commit.
func (t *tx) flush() error {
	t.queueRows()
	later := t.later
	t.later = &pgx.Batch{}
	if later.Len() == 0 {
		return nil
	}
	err := t.sendBatch(later)
	t.rows.empty()
	for _, s := range t.held {
		s.grown, s.touched = false, 0
	}
	return err
}
