package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
)

// Scrub waits scrubPause between attempts. Each attempt blocks commits for at
// most scrubHold while it waits for readers.
const (
	scrubPause = 50 * time.Millisecond
	scrubHold  = 10 * time.Millisecond
)

var _ bellcord.Scrubber = (*Store)(nil)

// Scrub implements bellcord.Scrubber. In the database file, a delete overwrites
// the deleted data (secure_delete). Scrub empties the write-ahead log, which
// contains earlier versions of the pages. An attempt that would block on a reader
// is repeated later, so that Scrub does not block other connections for long.
func (s *Store) Scrub(ctx context.Context) error {
	for {
		// This moves most of the log into the database file without a lock.
		_, err := s.readers.ExecContext(ctx, `PRAGMA wal_checkpoint(PASSIVE)`)
		busy := err != nil
		if err == nil {
			busy, err = s.truncate(ctx)
		}
		if err == nil && !busy {
			return nil
		}
		select {
		case <-time.After(scrubPause):
		case <-ctx.Done():
			return fmt.Errorf("truncating the write-ahead log: %w (last attempt: %w)", context.Cause(ctx), orBusy(err))
		}
	}
}

func orBusy(err error) error {
	if err == nil {
		return errors.New("another connection is using the log")
	}
	return err
}

// truncate empties the log, or returns busy if a connection is using it.
func (s *Store) truncate(ctx context.Context) (busy bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return false, sql.ErrConnDone
	}
	if err := s.door.lock(); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, s.door.unlock()) }()
	ctx = context.WithoutCancel(ctx)
	if _, err := s.conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, scrubHold.Milliseconds())); err != nil {
		return false, err
	}
	var pages, done int
	err = s.conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &done)
	_, after := s.conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, busyTimeout.Milliseconds()))
	return busy, errors.Join(err, after)
}
