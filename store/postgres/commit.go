package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, ops []store.Op) ([]store.Result, error) {
	results := make([]store.Result, len(ops))
	if len(ops) == 0 {
		return results, s.transact(ctx, func(t *tx) error {
			t.mark()
			return t.beginTx()
		})
	}
	var texts []encoded
	err := s.transact(ctx, func(t *tx) error {
		clear(results)
		err := t.hold(locksOf(ops), func(b *pgx.Batch) { t.queueFirst(b, ops) }, func() { texts = encodeAppends(ops) })
		if err != nil {
			return err
		}
		t.mark()
		return t.carryOutAll(0, ops, texts, results)
	})
	if rejects(err) {
		err = s.commitSeparately(ctx, ops, results)
	}
	return results, err
}

// commitSeparately is Commit for a batch in which the database has rejected a
// value: only the op with the value is rejected. It is slower, because it applies
// the batch in parts.
func (s *Store) commitSeparately(ctx context.Context, ops []store.Op, results []store.Result) error {
	var sound []store.Op
	var places []int // of the sound ops in the batch
	for i, op := range ops {
		if !hasLongKey(op) {
			sound, places = append(sound, op), append(places, i)
		}
	}
	found := make([]store.Result, len(sound))
	var texts []encoded
	err := s.transact(ctx, func(t *tx) error {
		clear(found)
		if err := t.hold(locksOf(sound), func(*pgx.Batch) {}, func() { texts = encodeAppends(sound) }); err != nil {
			return err
		}
		if err := t.carryOutSeparately(sound, texts, found, len(sound) == len(ops)); err != nil {
			return err
		}
		t.mark()
		return nil
	})
	for i := range results {
		results[i] = rejected(errLongKey)
	}
	for i, place := range places {
		results[place] = found[i]
	}
	return err
}

// carryOutAll applies ops, the first of which is at the given place in the batch.
func (t *tx) carryOutAll(place int, ops []store.Op, texts []encoded, results []store.Result) error {
	for i := 0; i < len(ops); {
		n, err := together(ops[i:]), error(nil)
		if n > 0 {
			err = t.appendTogether(ops[i:i+n], texts[i:i+n], results[i:i+n])
		} else {
			n = 1
			results[i], err = t.carryOut(ops[i], t.scope[place+i])
		}
		if err != nil {
			return fmt.Errorf("%T: %w", ops[i], err)
		}
		i += n
	}
	return nil
}

// carryOut applies one op. scope contains the turns that a RecordStops matches.
func (t *tx) carryOut(op store.Op, scope []string) (store.Result, error) {
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
		return t.appendToSession(op)
	case store.EditTurn:
		return t.edit(op)
	case store.RecordStop:
		return t.recordStop(op)
	case store.RecordStops:
		return t.recordStops(op, scope)
	case store.FinishTurn:
		return t.finish(op)
	}
	return store.Result{}, unknownOp(op)
}

func refused(err error) (store.Result, error) { return store.Result{Err: err}, nil }

func (t *tx) putSession(op store.PutSession) (store.Result, error) {
	v := op.Session
	if op.Existing && t.held[v.ID] == nil {
		return refused(bellcord.ErrNoSession)
	}
	if op.Existing {
		return store.Result{}, t.updateSession(op.Was, v)
	}
	dirs, err := dirList(v.AdditionalDirs)
	if err != nil {
		return store.Result{}, err
	}
	var owner word
	var last int64
	var hash []byte
	err = t.conn.QueryRow(t.ctx, `
		WITH tail AS (
			INSERT INTO tails (session) VALUES ($1)
			ON CONFLICT (session) DO UPDATE SET last_seq = tails.last_seq RETURNING last_seq, hash
		)
		INSERT INTO sessions (id, dir, title, model, mode, created, updated, agent, owner, additional_dirs, effort, auto_title) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
		ON CONFLICT (id) DO UPDATE SET dir = $2, title = $3, model = $4, mode = $5, updated = greatest(sessions.updated, $7), agent = $8, additional_dirs = $10, effort = $11, auto_title = $12
		RETURNING owner, (SELECT last_seq FROM tail), (SELECT hash FROM tail)`,
		word(v.ID), word(v.Dir), word(v.Title), word(v.Model), word(v.Mode), v.Created.UnixNano(), v.Updated.UnixNano(), word(v.Agent), word(v.Owner), dirs, word(v.Effort), v.AutoTitle).Scan(&owner, &last, &hash)
	if t.held[v.ID] == nil { // true even if another node deleted and created it while we waited
		t.held[v.ID] = newTail(owner, last, hash)
	}
	return store.Result{}, err
}

// updateSession writes the settings that an update changes.
func (t *tx) updateSession(was, now bellcord.Session) error {
	dirs, err := dirList(now.AdditionalDirs)
	if err != nil {
		return err
	}
	before, err := dirList(was.AdditionalDirs)
	if err != nil {
		return err
	}
	_, err = t.conn.Exec(t.ctx, `
		UPDATE sessions SET dir = coalesce($2, dir), title = coalesce($3, title), model = coalesce($4, model), mode = coalesce($5, mode),
			updated = greatest(updated, $6), agent = coalesce($7, agent), additional_dirs = coalesce($8, additional_dirs),
			effort = coalesce($9, effort), auto_title = coalesce($10, auto_title) WHERE id = $1`,
		word(now.ID), changed(word(was.Dir), word(now.Dir)), changed(word(was.Title), word(now.Title)), changed(word(was.Model), word(now.Model)),
		changed(word(was.Mode), word(now.Mode)), now.Updated.UnixNano(), changed(word(was.Agent), word(now.Agent)), changed(before, dirs),
		changed(word(was.Effort), word(now.Effort)), changed(was.AutoTitle, now.AutoTitle))
	return err
}

// changed returns the new value, or nil if it is the old one.
func changed[T comparable](was, now T) any {
	if was == now {
		return nil
	}
	return now
}

// dirList encodes a list of directories: as JSON, or "" if it is empty.
func dirList(dirs []string) (word, error) {
	if len(dirs) == 0 {
		return "", nil
	}
	text, err := json.Marshal(dirs)
	return word(text), err
}

func (t *tx) deleteSession(id bellcord.SessionID) (store.Result, error) {
	if err := t.writeRows(); err != nil { // rows of this session are deleted with the others
		return store.Result{}, err
	}
	delete(t.held, id)
	return store.Result{}, t.deleteSessions([]string{textOf(id)})
}

// deleteSessions deletes locked sessions with all their data.
func (t *tx) deleteSessions(ids []string) error {
	for _, q := range []string{
		`DELETE FROM events WHERE session = ANY ($1::text[])`,
		`DELETE FROM prompts WHERE turn IN (SELECT id FROM turns WHERE session = ANY ($1::text[]))`,
		`DELETE FROM turns WHERE session = ANY ($1::text[])`,
		`DELETE FROM sessions WHERE id = ANY ($1::text[])`,
		`DELETE FROM tails WHERE session = ANY ($1::text[])`,
		`DELETE FROM shares WHERE session = ANY ($1::text[])`,
	} {
		if err := t.exec(q, ids); err != nil {
			return err
		}
	}
	return nil
}

// appendToSession appends events that belong to no turn.
func (t *tx) appendToSession(op store.AppendEvents) (store.Result, error) {
	if t.held[op.Session] == nil {
		return refused(bellcord.ErrNoSession)
	}
	added, err := t.addBodies(op.Session, "", op.At, op.Bodies...)
	if added.Err == nil {
		t.touch(op.Session, op.At)
	}
	return added, err
}

// errNotHeld is the result of an op that the rules allow in a session that does
// not exist.
var errNotHeld = errors.New("the transaction does not hold the session")

// addBodies appends bodies to a session's log; the commit writes them. If a body
// cannot be encoded, it rejects this op before anything is added; other ops are
// not affected.
func (t *tx) addBodies(session bellcord.SessionID, turn bellcord.TurnID, at time.Time, bodies ...bellcord.Body) (store.Result, error) {
	return t.addEncoded(session, turn, at, bodies, encodeBodies(bodies))
}

// addEncoded is addBodies with the bodies' JSON.
func (t *tx) addEncoded(session bellcord.SessionID, turn bellcord.TurnID, at time.Time, bodies []bellcord.Body, text encoded) (store.Result, error) {
	if text.err != nil {
		return refused(text.err)
	}
	s := t.held[session]
	if s == nil {
		return refused(errNotHeld)
	}
	added := store.Result{Events: make([]bellcord.Event, len(bodies))}
	stored := store.StoredEvent{Session: session, Turn: turn, At: at.UnixNano()}
	for i, b := range bodies {
		stored.Seq, stored.Kind, stored.Body = s.head.Seq+1, b.Kind(), text.bodies[i]
		stored.Hash = stored.HashAfter(s.head.Hash)
		s.head, s.grown = bellcord.LogHead{Seq: stored.Seq, Hash: stored.Hash}, true
		added.Events[i] = bellcord.Event{Session: session, Seq: stored.Seq, Turn: turn, Time: at, Body: b}
		if err := t.addRow(&stored); err != nil {
			return store.Result{}, err
		}
	}
	return added, nil
}

// addRow adds a row for the commit. If the rows are too large for one statement,
// it writes those before.
func (t *tx) addRow(ev *store.StoredEvent) error {
	if size := len(t.rows.bodies.data); size > 0 && size+len(ev.Body) > mostBytes {
		if err := t.writeRows(); err != nil {
			return err
		}
	}
	t.rows.addRow(ev)
	return nil
}

// writeRows writes the added rows before the commit.
func (t *tx) writeRows() error {
	b := &pgx.Batch{}
	t.rows.insert(b)
	if b.Len() == 0 {
		return nil
	}
	err := t.sendBatch(b)
	t.rows.empty()
	return err
}
