package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// prunedAtOnce bounds a transaction of Prune, so that nobody waits for it long.
const prunedAtOnce = 100

// Prune deletes the sessions in which nothing has happened since a time and
// nothing runs or waits, with their events, and returns how many there were.
// What was spent stays on record. Whole sessions go, never the beginning of one:
// a log has no holes.
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
	// Looked at again, now that nobody else can write to them.
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
