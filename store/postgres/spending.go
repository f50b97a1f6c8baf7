package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// spend records a turn's usage in the transaction that ends the turn.
func (t *tx) spend(op store.FinishTurn) {
	for _, s := range op.Receipt.UsageByModel {
		t.later.Queue(`
			INSERT INTO spending (turn, session, model, owner, at, input, cache_read, cache_write, output, cost, exact)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
			word(op.Turn), word(op.Session), word(s.Model), word(t.ownerOf(op.Session)), op.At.UnixNano(),
			s.InputTokens, s.CacheReadTokens, s.CacheWriteTokens, s.OutputTokens, s.CostNanoUSD, s.Exact)
	}
}

// lastYear is the last full year that nanoseconds since 1970 can represent.
const lastYear = 2261

// Spending implements store.Reader.
func (s *Store) Spending(ctx context.Context, q store.SpendingQuery) ([]store.Spending, error) {
	since := int64(0)
	switch {
	case q.Since.Year() > lastYear:
		return nil, nil // beyond the range of nanoseconds, so nothing matches
	case !q.Since.IsZero():
		since = q.Since.UnixNano()
	}
	rows, err := s.readers.Query(ctx, `
		SELECT turn, session, model, at, input, cache_read, cache_write, output, cost, exact FROM spending
		WHERE ($1 = '' OR session = $1) AND at >= $2 AND ($3 = '' OR owner = $3)
		ORDER BY at, turn, model`, word(q.Session), since, word(q.Owner))
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (v store.Spending, err error) {
		var at int64
		err = row.Scan((*word)(&v.Turn), (*word)(&v.Session), (*word)(&v.Model), &at, &v.InputTokens, &v.CacheReadTokens, &v.CacheWriteTokens, &v.OutputTokens, &v.CostNanoUSD, &v.Exact)
		v.At = time.Unix(0, at)
		return v, err
	})
	return all, s.explain(ctx, err)
}

// SumUsage implements store.UsageSummer.
func (s *Store) SumUsage(ctx context.Context, q store.SpendingQuery) (store.UsageSum, error) {
	var sum store.UsageSum
	since := int64(0)
	switch {
	case q.Since.Year() > lastYear:
		return sum, nil
	case !q.Since.IsZero():
		since = q.Since.UnixNano()
	}
	rows, err := s.readers.Query(ctx, `
		WITH spent AS (SELECT * FROM spending WHERE ($1 = '' OR session = $1) AND at >= $2 AND ($3 = '' OR owner = $3))
		SELECT model, sum(input)::bigint, sum(cache_read)::bigint, sum(cache_write)::bigint, sum(output)::bigint, sum(cost)::bigint, bool_and(exact), (SELECT count(DISTINCT turn) FROM spent)
		FROM spent GROUP BY model ORDER BY min(at), min(turn), model`, word(q.Session), since, word(q.Owner))
	if err != nil {
		return sum, s.explain(ctx, err)
	}
	sum.Models, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (v bellcord.ModelUsage, err error) {
		err = row.Scan((*word)(&v.Model), &v.InputTokens, &v.CacheReadTokens, &v.CacheWriteTokens, &v.OutputTokens, &v.CostNanoUSD, &v.Exact, &sum.Turns)
		return v, err
	})
	return sum, s.explain(ctx, err)
}
