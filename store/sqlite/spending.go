package sqlite

import (
	"context"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// spend records a turn's usage in the transaction that ends the turn.
func (t tx) spend(op store.FinishTurn) error {
	for _, s := range op.Receipt.UsageByModel {
		exact := 0
		if s.Exact {
			exact = 1
		}
		if err := t.exec(`
			INSERT INTO spending (turn, session, model, at, input, cache_read, cache_write, output, cost, exact, owner)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, coalesce((SELECT owner FROM sessions WHERE id = $2), ''))
			ON CONFLICT (turn, model) DO UPDATE SET -- the turn of a deleted session had the same id
				input = input + excluded.input, cache_read = cache_read + excluded.cache_read, cache_write = cache_write + excluded.cache_write,
				output = output + excluded.output, cost = cost + excluded.cost, exact = min(exact, excluded.exact)`,
			string(op.Turn), string(op.Session), s.Model, op.At.UnixNano(),
			s.InputTokens, s.CacheReadTokens, s.CacheWriteTokens, s.OutputTokens, s.CostNanoUSD, exact); err != nil {
			return err
		}
	}
	return nil
}

// lastYear is the last full year that nanoseconds since 1970 can represent.
const lastYear = 2261

// Spending implements store.Reader.
func (s *Store) Spending(ctx context.Context, q store.SpendingQuery) ([]store.Spending, error) {
	if q.Since.Year() > lastYear {
		return nil, nil // beyond the range of nanoseconds, so nothing matches
	}
	c := spent(q)
	rows, err := s.query(ctx, `
		SELECT turn, session, model, at, input, cache_read, cache_write, output, cost, exact FROM spending
		WHERE true`+c.text+` ORDER BY at, turn, model`, c.values...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []store.Spending
	for rows.Next() {
		var v store.Spending
		var at int64
		if err := rows.Scan(&v.Turn, &v.Session, &v.Model, &at, &v.InputTokens, &v.CacheReadTokens, &v.CacheWriteTokens, &v.OutputTokens, &v.CostNanoUSD, &v.Exact); err != nil {
			return nil, err
		}
		v.At = time.Unix(0, at)
		all = append(all, v)
	}
	return all, rows.Err()
}

func spent(q store.SpendingQuery) conditions {
	var c conditions
	c.add(!q.Since.IsZero(), `at >= $`, max(0, q.Since.UnixNano()))
	c.add(q.Session != "", `session = $`, string(q.Session))
	c.add(q.Owner != "", `owner = $`, q.Owner)
	return c
}

// SumUsage implements store.UsageSummer.
func (s *Store) SumUsage(ctx context.Context, q store.SpendingQuery) (store.UsageSum, error) {
	var sum store.UsageSum
	if q.Since.Year() > lastYear {
		return sum, nil
	}
	c := spent(q)
	rows, err := s.query(ctx, `
		SELECT model, sum(input), sum(cache_read), sum(cache_write), sum(output), sum(cost), min(exact), (SELECT count(DISTINCT turn) FROM spending WHERE true`+c.text+`)
		FROM spending WHERE true`+c.text+` GROUP BY model ORDER BY min(at), min(turn), model`, c.values...)
	if err != nil {
		return sum, err
	}
	defer rows.Close()
	for rows.Next() {
		var v bellcord.ModelUsage
		if err := rows.Scan(&v.Model, &v.InputTokens, &v.CacheReadTokens, &v.CacheWriteTokens, &v.OutputTokens, &v.CostNanoUSD, &v.Exact, &sum.Turns); err != nil {
			return sum, err
		}
		sum.Models = append(sum.Models, v)
	}
	return sum, explain(rows.Err())
}
