package sqlite

import (
	"context"
	"time"

	"github.com/bellcord/bellcord"
)

// spend records a turn's usage in the transaction that ends the turn.
func (t tx) spend(op bellcord.FinishTurn) error {
	for _, s := range op.Receipt.UsageByModel {
		exact := 0
		if s.Exact {
			exact = 1
		}
		if err := t.exec(`
			INSERT INTO spending (turn, session, model, at, input, cache_read, cache_write, output, cost, exact, owner)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce((SELECT owner FROM sessions WHERE id = $2), ''))`,
			string(op.Turn), string(op.Session), s.Model, op.At.UnixNano(),
			s.InputTokens, s.CacheReadTokens, s.CacheWriteTokens, s.OutputTokens, s.CostNanoUSD, exact); err != nil {
			return err
		}
	}
	return nil
}

// lastYear is the last full year that nanoseconds since 1970 can represent.
const lastYear = 2261

// Spending implements bellcord.Reader.
func (s *Store) Spending(ctx context.Context, q bellcord.SpendingQuery) ([]bellcord.Spending, error) {
	since := int64(0)
	switch {
	case q.Since.Year() > lastYear:
		return nil, nil // beyond the range of nanoseconds, so nothing matches
	case !q.Since.IsZero():
		since = q.Since.UnixNano()
	}
	rows, err := s.query(ctx, `
		SELECT turn, session, model, at, input, cache_read, cache_write, output, cost, exact FROM spending
		WHERE ($1 = '' OR session = $1) AND at >= $2 AND ($3 = '' OR owner = $3)
		ORDER BY at, turn, model`, string(q.Session), since, q.Owner)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []bellcord.Spending
	for rows.Next() {
		var v bellcord.Spending
		var at int64
		if err := rows.Scan(&v.Turn, &v.Session, &v.Model, &at, &v.InputTokens, &v.CacheReadTokens, &v.CacheWriteTokens, &v.OutputTokens, &v.CostNanoUSD, &v.Exact); err != nil {
			return nil, err
		}
		v.At = time.Unix(0, at)
		all = append(all, v)
	}
	return all, rows.Err()
}
