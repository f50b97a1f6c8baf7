package sqlite

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/bellcord/bellcord"
)

// Receipts implements bellcord.Reader.
func (s *Store) Receipts(ctx context.Context, q bellcord.ReceiptQuery) ([]bellcord.Receipt, error) {
	limit := -1
	if q.Limit > 0 {
		limit = q.Limit
	}
	rows, err := s.query(ctx, `
		SELECT receipt FROM turns
		WHERE receipt IS NOT NULL AND ($1 = '' OR session = $1)
		AND ($2 = '' OR session IN (SELECT id FROM sessions WHERE owner = $2))
		AND ($3 = '' OR substr(lower(id), 1, length($3)) = $3 OR substr(lower(id), -length($3)) = $3)
		ORDER BY accepted DESC, id DESC LIMIT $4`,
		string(q.Session), q.Owner, strings.ToLower(q.Turn), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []bellcord.Receipt
	for rows.Next() {
		var text []byte
		var r bellcord.Receipt
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, explain(rows.Err())
}
