package postgres

import (
	"hash/fnv"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// lockSet is the set of locks that a batch of ops needs before its first op is
// applied.
type lockSet struct {
	node     bool     // an op starts a turn, which a removed node must not do
	comings  []int64  // locks of turn IDs, so that a stop and its turn do not miss each other
	made     []string // sessions that may be new
	sessions []string
	stops    []string // turns with sessions that are yet to be determined
	scopes   map[int]store.RecordStops
}

func locksOf(ops []store.Op) lockSet {
	w := lockSet{scopes: map[int]store.RecordStops{}}
	for i, op := range ops {
		switch op := op.(type) {
		case store.PutSession:
			w.sessions = append(w.sessions, textOf(op.Session.ID))
			if !op.Existing {
				w.made = append(w.made, textOf(op.Session.ID))
			}
		case store.DeleteSession:
			w.sessions = append(w.sessions, textOf(op.ID))
		case store.AcceptTurn:
			w.node, w.comings = true, append(w.comings, coming(op.Turn))
			w.sessions = append(w.sessions, textOf(op.Session))
		case store.ClaimTurn:
			w.node, w.sessions = true, append(w.sessions, textOf(op.Session))
		case store.AppendEvents:
			w.sessions = append(w.sessions, textOf(op.Session))
		case store.EditTurn:
			w.sessions = append(w.sessions, textOf(op.Session))
		case store.RecordStop:
			w.comings, w.stops = append(w.comings, coming(op.Turn)), append(w.stops, textOf(op.Turn))
		case store.RecordStops:
			w.scopes[i] = op
		case store.FinishTurn:
			w.sessions = append(w.sessions, textOf(op.Session))
		}
	}
	slices.Sort(w.comings)
	slices.Sort(w.made)
	return w
}

// coming returns the number of the advisory lock for a turn's ID. It is held to
// accept the turn, and to record a stop for a turn that may not exist yet.
func coming(id bellcord.TurnID) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return int64(h.Sum64())
}

// hold begins the transaction and takes its locks in the order that all nodes
// use. Every later statement sees the commits of the previous holders. ask may
// add the first of them to the same round trip. meanwhile runs while the database
// works.
func (t *tx) hold(w lockSet, ask func(*pgx.Batch), meanwhile func()) error {
	t.held, t.scope = map[bellcord.SessionID]*tail{}, map[int][]string{}
	b := &pgx.Batch{}
	b.Queue(begin)
	if w.node { // does not conflict with a renewal, only with the deletion of the row
		b.Queue(`SELECT 1 FROM nodes WHERE id = $1 FOR KEY SHARE`, t.s.node).Query(func(rows pgx.Rows) error {
			t.lives = rows.Next()
			return rows.Err()
		})
	}
	if len(w.comings) > 0 {
		b.Queue(`SELECT pg_advisory_xact_lock(id) FROM unnest($1::bigint[]) AS id`, slices.Compact(w.comings))
	}
	for place, op := range w.scopes {
		t.resolve(b, place, op)
	}
	if len(w.scopes) > 0 {
		if err := t.sendBatch(b); err != nil {
			return err
		}
		b = &pgx.Batch{}
		for _, turns := range t.scope {
			w.stops = append(w.stops, turns...)
		}
	}
	if len(w.made) > 0 {
		b.Queue(`INSERT INTO tails (session) SELECT id FROM unnest($1::text[]) AS id ON CONFLICT DO NOTHING`, slices.Compact(w.made))
	}
	t.holdSessions(b, w.sessions, w.stops)
	ask(b)
	sent := t.conn.SendBatch(t.ctx, b)
	meanwhile()
	return sent.Close()
}

// holdSessions locks the given sessions and the sessions of the given turns, in
// the order of their IDs.
func (t *tx) holdSessions(b *pgx.Batch, sessions, turns []string) {
	b.Queue(`
		SELECT tails.session, last_seq, hash, (SELECT owner FROM sessions WHERE id = tails.session) FROM tails
		WHERE session IN (SELECT unnest($1::text[]) UNION SELECT session FROM turns WHERE id = ANY ($2::text[]))
		ORDER BY tails.session FOR UPDATE OF tails`, sessions, turns).Query(func(rows pgx.Rows) error {
		var id word
		var owner *word
		var last int64
		var hash []byte
		_, err := pgx.ForEachRow(rows, []any{&id, &last, &hash, &owner}, func() error {
			if owner != nil { // otherwise a later op of this batch creates it
				t.held[bellcord.SessionID(id)] = newTail(*owner, last, hash)
			}
			return nil
		})
		return err
	})
}

func newTail(owner word, last int64, hash []byte) *tail {
	s := &tail{owner: string(owner), head: bellcord.LogHead{Seq: last}}
	copy(s.head.Hash[:], hash)
	return s
}

// resolve finds the turns in the scope of a stop at this moment. Turns that are
// accepted while the transaction waits for the sessions' locks are not affected
// (law 1).
func (t *tx) resolve(b *pgx.Batch, place int, op store.RecordStops) {
	b.Queue(`
		SELECT id FROM (
			SELECT id, session, node, taken FROM turns WHERE state <> 'ended' AND ($4 OR state = 'running') AND accepted <= $2 + $6::bigint
			UNION ALL SELECT id, session, node, taken FROM turns WHERE stopped_by = $2
		) AS found
		WHERE (node <> $1 OR taken) AND ($3 = '' OR session = $3)
		  AND ($5 = '' OR EXISTS (SELECT 1 FROM sessions WHERE sessions.id = found.session AND owner = $5))`,
		t.s.node, op.Cause.At.UnixNano(), word(op.Session), op.Drop, word(op.Owner), op.Uncertainty.Nanoseconds()).Query(func(rows pgx.Rows) error {
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		t.scope[place] = ids
		return err
	})
}
