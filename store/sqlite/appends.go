package sqlite

import (
	"database/sql"
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// rowsAtOnce is the number of rows that a multi-row statement writes.
const rowsAtOnce = 32

// together returns the length of the prefix of ops that consists of appends to
// different turns. A few statements apply all of them.
func together(ops []store.Op) int {
	seen := map[bellcord.TurnID]bool{}
	for i, op := range ops {
		a, is := op.(store.AppendEvents)
		if !is || a.Turn == "" || seen[a.Turn] || i == rowsAtOnce {
			return i
		}
		seen[a.Turn] = true
	}
	return len(ops)
}

// appendTogether applies a group of appends. Each gets the same result as if it
// had been applied alone.
func (t tx) appendTogether(ops []store.Op, results []store.Result) error {
	stops, err := t.advance(ops)
	if err != nil {
		return err
	}
	var rows []any
	for i, op := range ops {
		a := op.(store.AppendEvents)
		stop, applied := stops[a.Turn]
		if !applied {
			if results[i], err = t.appendRefused(a); err != nil {
				return err
			}
			continue
		}
		added, err := t.number(a)
		if err != nil {
			return err
		}
		if added.Err == nil {
			rows = append(rows, added.rows...)
		}
		results[i] = added.Result
		if results[i].Stop, err = decodeCause(stop); err != nil {
			return err
		}
	}
	return t.insert(rows)
}

// advance applies the valid appends to their turns and returns the recorded stops
// of those turns.
func (t tx) advance(ops []store.Op) (map[bellcord.TurnID]sql.NullString, error) {
	args := make([]any, 0, 4*rowsAtOnce+1)
	for _, op := range ops {
		a := op.(store.AppendEvents)
		args = append(args, string(a.Turn), a.Fence, a.N, string(a.Session))
	}
	rows, err := t.query(`
		UPDATE turns SET applied = new.column3 FROM (VALUES `+strings.Repeat("(?, ?, ?, ?), ", len(ops)-1)+`(?, ?, ?, ?)) AS new
		WHERE turns.id = new.column1 AND fence = new.column2 AND state = 'running' AND applied = new.column3 - 1
		  AND session = new.column4 AND node = ?
		RETURNING turns.id, stop`, append(args, t.s.node)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	stops := make(map[bellcord.TurnID]sql.NullString, len(ops))
	for rows.Next() {
		var id bellcord.TurnID
		var stop sql.NullString
		if err := rows.Scan(&id, &stop); err != nil {
			return nil, err
		}
		stops[id] = stop
	}
	return stops, rows.Err()
}

// numbered is the result of an append with its rows.
type numbered struct {
	store.Result
	rows []any // for the table events: the values of all rows, one after another
}

// columns is the number of columns of the table events.
const columns = 7

// number assigns sequence numbers to the bodies. If a body cannot be encoded, it
// rejects this append before anything is added; other ops are not affected.
func (t tx) number(op store.AppendEvents) (numbered, error) {
	last, err := t.head(op.Session)
	if err != nil {
		return numbered{}, err
	}
	n := numbered{
		Result: store.Result{Events: make([]bellcord.Event, 0, len(op.Bodies))},
		rows:   make([]any, 0, columns*len(op.Bodies)),
	}
	hashes := make([]bellcord.Hash, len(op.Bodies)) // in one piece, for the garbage collector
	var session, turn, at any = string(op.Session), string(op.Turn), op.At.UnixNano()
	for i, b := range op.Bodies {
		data, err := json.Marshal(b)
		if err != nil {
			return numbered{Result: store.Result{Err: cannotWrite(b, err)}}, nil
		}
		last.Seq++
		stored := store.StoredEvent{Session: op.Session, Seq: last.Seq, Turn: op.Turn, At: op.At.UnixNano(), Kind: b.Kind(), Body: data}
		last.Hash = stored.HashAfter(last.Hash)
		hashes[i] = last.Hash
		n.Events = append(n.Events, bellcord.Event{Session: op.Session, Seq: last.Seq, Turn: op.Turn, Time: op.At, Body: b})
		n.rows = append(n.rows, session, last.Seq, turn, stored.Kind, at, string(data), hashes[i][:])
	}
	t.s.tails.last[op.Session] = last
	return n, nil
}

// insert writes rows to the table events.
func (t tx) insert(rows []any) error {
	const one = `(?, ?, ?, ?, ?, ?, ?)`
	for len(rows) > 0 {
		n := 1
		if len(rows) >= rowsAtOnce*columns {
			n = rowsAtOnce
		}
		if err := t.exec(`INSERT INTO events (session, seq, turn, kind, at, body, hash) VALUES `+strings.Repeat(one+", ", n-1)+one, rows[:n*columns]...); err != nil {
			return err
		}
		rows = rows[n*columns:]
	}
	return nil
}
