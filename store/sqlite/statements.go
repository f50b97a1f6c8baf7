package sqlite

import (
	"database/sql"
	"encoding/json"

	"github.com/bellcord/bellcord"
)

// exec, affected, row and query run a statement in the transaction. Statements
// are prepared once, because a commit consists of many small ones.

func (t tx) exec(query string, args ...any) error {
	_, err := t.affected(query, args...)
	return err
}

func (t tx) affected(query string, args ...any) (int64, error) {
	stmt, err := t.prepared(query)
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

func (t tx) query(query string, args ...any) (*sql.Rows, error) {
	stmt, err := t.prepared(query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(t.ctx, args...)
}

// row runs a statement that returns at most one row. It runs the statement to its
// end, because a statement that writes and returns must not stop halfway.
func (t tx) row(query string, args ...any) oneRow {
	rows, err := t.query(query, args...)
	return oneRow{rows, err}
}

type oneRow struct {
	rows *sql.Rows
	err  error
}

// Scan returns sql.ErrNoRows if there is no row.
func (r oneRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return explain(err)
		}
		return sql.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Next()
	return explain(r.rows.Err())
}

func (t tx) prepared(query string) (*sql.Stmt, error) {
	if stmt := t.s.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := t.s.conn.PrepareContext(t.ctx, query)
	if err == nil {
		t.s.stmts[query] = stmt
	}
	return stmt, err
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain data of the core always marshals
	}
	return string(data)
}

func encodeCause(c *bellcord.Cause) (cause, mode sql.NullString) {
	if c == nil {
		return cause, mode
	}
	return sql.NullString{String: encode(c), Valid: true}, sql.NullString{String: string(c.Mode), Valid: true}
}

func decodeCause(s sql.NullString) (*bellcord.Cause, error) {
	if !s.Valid {
		return nil, nil
	}
	var c bellcord.Cause
	err := json.Unmarshal([]byte(s.String), &c)
	return &c, err
}
