package postgres

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bellcord/bellcord"
)

// rejects reports whether an error is about a value and not about the state of
// the database. The SQLSTATE classes are: data exception, integrity constraint
// violation, and program limit exceeded. The same value fails again.
func rejects(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && slices.Contains([]string{"22", "23", "54"}, pgErr.Code[:2])
}

func rejected(err error) bellcord.Result {
	return bellcord.Result{Err: fmt.Errorf("%w: %w", bellcord.ErrRejected, err)}
}

// longestKey limits the bytes of an id or a name in an index. The longest index
// has three of them, and a row of an index has at most 2,704 bytes.
const longestKey = 768

// errLongKey is the reason for rejecting an op with an id that no index holds.
var errLongKey = fmt.Errorf("an id or a name has more than %d bytes", longestKey)

// keysOf returns the ids of an op. They are part of the locks of the batch, which
// are taken before any op is applied.
func keysOf(op bellcord.Op) []string {
	switch op := op.(type) {
	case bellcord.PutSession:
		return []string{string(op.Session.ID), op.Session.Owner}
	case bellcord.DeleteSession:
		return []string{string(op.ID)}
	case bellcord.AcceptTurn:
		return []string{string(op.Session), string(op.Turn)}
	case bellcord.ClaimTurn:
		return []string{string(op.Session), string(op.Turn)}
	case bellcord.AppendEvents:
		return []string{string(op.Session), string(op.Turn)}
	case bellcord.EditTurn:
		return []string{string(op.Session), string(op.Turn)}
	case bellcord.RecordStop:
		return []string{string(op.Turn), op.Owner}
	case bellcord.RecordStops:
		return []string{string(op.Session), op.Owner}
	case bellcord.FinishTurn:
		return []string{string(op.Session), string(op.Turn)}
	}
	return nil
}

func hasLongKey(op bellcord.Op) bool {
	return slices.ContainsFunc(keysOf(op), func(key string) bool { return len(textOf(key)) > longestKey })
}

// carryOutSeparately applies the ops of a batch in which the database has
// rejected a value. Each op has a savepoint, so that only the op with the value
// is rejected.
func (t *tx) carryOutSeparately(ops []bellcord.Op, texts []encoded, results []bellcord.Result) error {
	for i, op := range ops {
		if results[i].Err != nil {
			continue
		}
		if err := t.exec(`SAVEPOINT op`); err != nil {
			return err
		}
		before := t.copyHeld()
		err := t.carryOutAll(i, ops[i:i+1], texts[i:i+1], results[i:i+1])
		if err == nil {
			err = t.flush()
		}
		if rejects(err) {
			results[i] = rejected(err)
			err = t.undoOp(op, before)
		}
		if err == nil {
			err = t.exec(`RELEASE SAVEPOINT op`)
		}
		if err != nil {
			return fmt.Errorf("%T: %w", op, err)
		}
	}
	return nil
}

// undoOp removes the effects of a rejected op. A rejected append to a turn still
// uses its number, as one that cannot be encoded does, so that the later appends
// of the turn are applied.
func (t *tx) undoOp(op bellcord.Op, before map[bellcord.SessionID]*tail) error {
	t.held, t.later = before, &pgx.Batch{}
	t.rows.empty()
	if err := t.exec(`ROLLBACK TO SAVEPOINT op`); err != nil {
		return err
	}
	if together([]bellcord.Op{op}) == 0 {
		return nil
	}
	_, err := t.advance([]bellcord.Op{op})
	return err
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
