package postgres

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Receipts implements store.Reader.
func (s *Store) Receipts(ctx context.Context, q store.ReceiptQuery) ([]bellcord.Receipt, error) {
	rows, err := s.readers.Query(ctx, `
		SELECT receipt FROM turns
		WHERE receipt IS NOT NULL AND ($1 = '' OR session = $1)
		AND ($2 = '' OR session IN (SELECT id FROM sessions WHERE owner = $2))
		AND ($3 = '' OR left(lower(id), length($3)) = $3 OR right(lower(id), length($3)) = $3)
		ORDER BY accepted DESC, id DESC LIMIT NULLIF($4::bigint, 0)`,
		word(q.Session), word(q.Owner), word(strings.ToLower(q.Turn)), q.Limit)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r bellcord.Receipt, err error) {
		var text []byte
		if err := row.Scan(&text); err != nil {
			return r, err
		}
		return r, json.Unmarshal(text, &r)
	})
	return all, s.explain(ctx, err)
}
