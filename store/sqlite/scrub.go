package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/bellcord/bellcord"
)

// Scrub waits scrubPause between two tries. Each try holds up commits for at most
// scrubHold while it waits for readers.
const (
	scrubPause = 50 * time.Millisecond
	scrubHold  = 10 * time.Millisecond
)

var _ bellcord.Scrubber = (*Store)(nil)

// Scrub implements bellcord.Scrubber. In the database file a delete overwrites
// what it deletes (secure_delete); Scrub empties the write-ahead log, which has
// the pages as they were before. It holds up nobody for long: a try that would have
// to wait for a reader is made again later.
func (s *Store) Scrub(ctx context.Context) error {
	for {
		// Most of the log goes into the database file here, without a lock.
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

// truncate empties the log unless a connection reads from it or writes to it.
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
