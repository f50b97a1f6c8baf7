package postgres

import (
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
)

// together returns the length of the prefix of ops that consists of appends to
// different turns. One statement applies all of them.
func together(ops []bellcord.Op) int {
	seen := map[bellcord.TurnID]bool{}
	for i, op := range ops {
		a, is := op.(bellcord.AppendEvents)
		if !is || a.Turn == "" || seen[a.Turn] {
			return i
		}
		seen[a.Turn] = true
	}
	return len(ops)
}

// appendTogether applies a group of appends. Each gets the same result as if it
// had been applied alone.
func (t *tx) appendTogether(ops []bellcord.Op, results []bellcord.Result) error {
	stops, err := t.ahead.stops, error(nil)
	if t.ahead.stops = nil; stops == nil {
		stops, err = t.advance(ops)
	}
	if err != nil {
		return err
	}
	for i, op := range ops {
		a := op.(bellcord.AppendEvents)
		stop, applied := stops[a.Turn]
		if !applied {
			if results[i], err = t.appendRefused(a); err != nil {
				return err
			}
			continue
		}
		results[i] = t.addBodies(a.Session, a.Turn, a.At, a.Bodies...)
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
func (t *tx) advance(ops []bellcord.Op) (map[bellcord.TurnID]*string, error) {
	query, args := t.advancing(ops)
	rows, err := t.conn.Query(t.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return stopsOf(rows)
}

func (t *tx) advancing(ops []bellcord.Op) (query string, args []any) {
	turns, sessions := make([]string, len(ops)), make([]string, len(ops))
	fences, numbers := make([]int64, len(ops)), make([]int64, len(ops))
	for i, op := range ops {
		a := op.(bellcord.AppendEvents)
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
func (t *tx) appendRefused(op bellcord.AppendEvents) (bellcord.Result, error) {
	facts, _, err := t.facts(op.Turn)
	if err != nil {
		return bellcord.Result{}, err
	}
	return lifecycle.Append(facts, op).Result(op)
}

func marshalAll(bodies []bellcord.Body) ([][]byte, error) {
	all := make([][]byte, len(bodies))
	for i, b := range bodies {
		var err error
		if all[i], err = json.Marshal(b); err != nil {
			return nil, fmt.Errorf("cannot encode %s event: %w", b.Kind(), err)
		}
	}
	return all, nil
}

// eventRows are rows of the table events, by column.
type eventRows struct {
	sessions, turns, kinds []string
	seqs, at               []int64
	bodies, hashes         [][]byte
}

func (r *eventRows) addRow(ev bellcord.StoredEvent) {
	r.sessions, r.turns, r.kinds = append(r.sessions, textOf(ev.Session)), append(r.turns, textOf(ev.Turn)), append(r.kinds, ev.Kind)
	r.seqs, r.at = append(r.seqs, ev.Seq), append(r.at, ev.At)
	r.bodies, r.hashes = append(r.bodies, ev.Body), append(r.hashes, ev.Hash[:])
}

// drop removes the rows of a deleted session.
func (r *eventRows) drop(session string) {
	var kept eventRows
	for i, s := range r.sessions {
		if s == session {
			continue
		}
		kept.sessions, kept.turns, kept.kinds = append(kept.sessions, s), append(kept.turns, r.turns[i]), append(kept.kinds, r.kinds[i])
		kept.seqs, kept.at = append(kept.seqs, r.seqs[i]), append(kept.at, r.at[i])
		kept.bodies, kept.hashes = append(kept.bodies, r.bodies[i]), append(kept.hashes, r.hashes[i])
	}
	*r = kept
}

// mostBytes limits the bodies that one statement writes, unless a single body is
// larger.
const mostBytes = 16 << 20

// insert queues statements that write the rows.
func (r *eventRows) insert(b *pgx.Batch) {
	for from := 0; from < len(r.seqs); {
		size, to := 0, from
		for to < len(r.seqs) && (to == from || size+len(r.bodies[to]) <= mostBytes) {
			size += len(r.bodies[to])
			to++
		}
		b.Queue(`
			INSERT INTO events (session, seq, turn, kind, at, body, hash)
			SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::bytea[])`,
			r.sessions[from:to], r.seqs[from:to], r.turns[from:to], r.kinds[from:to], r.at[from:to], r.bodies[from:to], r.hashes[from:to])
		from = to
	}
}
