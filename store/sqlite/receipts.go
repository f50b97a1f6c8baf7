package sqlite

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Receipts implements store.Reader.
func (s *Store) Receipts(ctx context.Context, q store.ReceiptQuery) ([]bellcord.Receipt, error) {
	limit := -1
	if q.Limit > 0 {
		limit = q.Limit
	}
	var c conditions
	c.add(q.Session != "", `session = $`, string(q.Session))
	c.add(q.Owner != "", `EXISTS (SELECT 1 FROM sessions WHERE sessions.id = turns.session AND owner = $)`, q.Owner)
	c.add(q.Turn != "", `(substr(lower(id), 1, length($)) = $ OR substr(lower(id), -length($)) = $)`, strings.ToLower(q.Turn))
	rows, err := s.query(ctx, `SELECT receipt FROM turns WHERE receipt IS NOT NULL`+c.text+`
		ORDER BY accepted DESC, id DESC LIMIT $`+strconv.Itoa(len(c.values)+1), append(c.values, limit)...)
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
