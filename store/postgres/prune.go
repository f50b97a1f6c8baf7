package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// prunedAtOnce limits the sessions in one transaction of Prune, so that it does
// not block others for long.
const prunedAtOnce = 100

// Prune deletes the sessions that were last changed before the given time and
// have no unended turn, with their events, and returns their number. Spending
// records are kept. Prune deletes only whole sessions, so that logs have no gaps.
func (s *Store) Prune(ctx context.Context, before time.Time) (int, error) {
	for total := 0; ; {
		var n int
		err := s.transact(ctx, func(t *tx) (err error) {
			n, err = t.prune(before)
			return err
		})
		if total += n; err != nil || n == 0 {
			return total, err
		}
	}
}

func (t *tx) prune(before time.Time) (int, error) {
	if err := t.beginTx(); err != nil {
		return 0, err
	}
	const idle = `updated < $1 AND NOT EXISTS (SELECT 1 FROM turns WHERE session = sessions.id AND state <> 'ended')`
	held, err := t.ids(`
		SELECT session FROM tails WHERE session IN (SELECT id FROM sessions WHERE `+idle+` LIMIT $2)
		ORDER BY session FOR UPDATE SKIP LOCKED`, before.UnixNano(), prunedAtOnce)
	if err != nil {
		return 0, err
	}
	// Check again, now that no other node can write to them.
	ids, err := t.ids(`SELECT id FROM sessions WHERE `+idle+` AND id = ANY ($2::text[])`, before.UnixNano(), held)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), t.deleteSessions(ids)
}

func (t *tx) ids(query string, args ...any) ([]string, error) {
	rows, err := t.conn.Query(t.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
