package postgres

import (
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// together returns the length of the prefix of ops that consists of appends to
// different turns. One statement applies all of them.
func together(ops []store.Op) int {
	seen := map[bellcord.TurnID]bool{}
	for i, op := range ops {
		a, is := op.(store.AppendEvents)
		if !is || a.Turn == "" || seen[a.Turn] {
			return i
		}
		seen[a.Turn] = true
	}
	return len(ops)
}

// appendTogether applies a group of appends with their encoded bodies. Each gets
// the same result as if it had been applied alone.
func (t *tx) appendTogether(ops []store.Op, texts []encoded, results []store.Result) error {
	stops, err := t.ahead.stops, error(nil)
	if t.ahead.stops = nil; stops == nil {
		stops, err = t.advance(ops)
	}
	if err != nil {
		return err
	}
	for i, op := range ops {
		a := op.(store.AppendEvents)
		stop, applied := stops[a.Turn]
		if !applied {
			if results[i], err = t.appendRefused(a); err != nil {
				return err
			}
			continue
		}
		if results[i], err = t.addEncoded(a.Session, a.Turn, a.At, a.Bodies, texts[i]); err != nil {
			return err
		}
		if results[i].Stop, err = decodeCause(stop); err != nil {
			return err
		}
	}
	return nil
}

// advance applies the valid appends to their turns and returns the recorded stops
// of those turns. The conditions are one row comparison, which no index supports,
// so that the planner finds the turns by ID only. With separate conditions its
// estimates are poor, and it scans all running turns.
func (t *tx) advance(ops []store.Op) (map[bellcord.TurnID]*string, error) {
	query, args := t.advancing(ops)
	rows, err := t.conn.Query(t.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return stopsOf(rows)
}

func (t *tx) advancing(ops []store.Op) (query string, args []any) {
	turns, sessions := make([]string, len(ops)), make([]string, len(ops))
	fences, numbers := make([]int64, len(ops)), make([]int64, len(ops))
	for i, op := range ops {
		a := op.(store.AppendEvents)
		turns[i], sessions[i], fences[i], numbers[i] = textOf(a.Turn), textOf(a.Session), a.Fence, a.N
	}
	return `
		UPDATE turns SET applied = new.n FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS new (id, session, fence, n)
		WHERE turns.id = new.id
		  AND (turns.session, turns.fence, state, applied, node) IS NOT DISTINCT FROM (new.session, new.fence, 'running', new.n - 1, $5::text)
		RETURNING turns.id, stop`, []any{turns, sessions, fences, numbers, t.s.node}
}

func stopsOf(rows pgx.Rows) (map[bellcord.TurnID]*string, error) {
	stops := map[bellcord.TurnID]*string{}
	var id word
	var stop *string
	_, err := pgx.ForEachRow(rows, []any{&id, &stop}, func() error {
		stops[bellcord.TurnID(id)] = stop
		return nil
	})
	return stops, err
}

// appendRefused returns the result of an append that was not applied.
func (t *tx) appendRefused(op store.AppendEvents) (store.Result, error) {
	facts, _, err := t.facts(op.Turn)
	if err != nil {
		return store.Result{}, err
	}
	return lifecycle.Append(facts, op).Result(op)
}

// encoded is the JSON of an op's bodies, or the error of one that has none.
type encoded struct {
	bodies [][]byte
	err    error
}

func encodeBodies(bodies []bellcord.Body) encoded {
	e := encoded{bodies: make([][]byte, len(bodies))}
	for i, b := range bodies {
		var err error
		if e.bodies[i], err = json.Marshal(b); err != nil {
			return encoded{err: fmt.Errorf("cannot encode %s event: %w", b.Kind(), err)}
		}
	}
	return e
}

// encodeAppends encodes the bodies of the appends to turns, by the index of the
// op.
func encodeAppends(ops []store.Op) []encoded {
	all := make([]encoded, len(ops))
	for i, op := range ops {
		if a, is := op.(store.AppendEvents); is && a.Turn != "" {
			all[i] = encodeBodies(a.Bodies)
		}
	}
	return all
}

// eventRows are rows of the table events, by column.
type eventRows struct {
	sessions, seqs, turns, kinds, at, bodies, hashes array
}

func (r *eventRows) columns() []*array {
	return []*array{&r.sessions, &r.seqs, &r.turns, &r.kinds, &r.at, &r.bodies, &r.hashes}
}

func (r *eventRows) addRow(ev *store.StoredEvent) {
	r.sessions.addText(textOf(ev.Session))
	r.seqs.addNumber(ev.Seq)
	r.turns.addText(textOf(ev.Turn))
	r.kinds.addText(ev.Kind)
	r.at.addNumber(ev.At)
	r.bodies.addBytes(ev.Body)
	r.hashes.addBytes(ev.Hash[:])
}

// mostBytes limits the bodies that one statement writes, unless a single body is
// larger.
const mostBytes = 16 << 20

// mostKept limits the memory of a column that is kept for the next transaction.
const mostKept = 4 << 20

// empty removes all rows and keeps their memory, because the next transaction
// needs about the same.
func (r *eventRows) empty() {
	for _, c := range r.columns() {
		if c.empty(); cap(c.data) > mostKept {
			c.data = nil
		}
	}
}

// insert queues the statement that writes the rows. The arrays are expanded in
// the select list, all at once: in FROM, PostgreSQL stores each of them first.
func (r *eventRows) insert(b *pgx.Batch) {
	if r.seqs.n == 0 {
		return
	}
	args := make([]any, 0, 7)
	for _, c := range r.columns() {
		args = append(args, c)
	}
	b.Queue(`
		INSERT INTO events (session, seq, turn, kind, at, body, hash)
		SELECT unnest($1::text[]), unnest($2::bigint[]), unnest($3::text[]), unnest($4::text[]), unnest($5::bigint[]), unnest($6::bytea[]), unnest($7::bytea[])`, args...)
}
