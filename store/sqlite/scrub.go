package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord/store"
)

// Scrub waits scrubPause between attempts. Each attempt blocks commits for at
// most scrubHold while it waits for readers.
const (
	scrubPause = 50 * time.Millisecond
	scrubHold  = 10 * time.Millisecond
)

var _ store.Scrubber = (*Store)(nil)

// scrubs lets one Scrub at a time read the database. It serves all that began before.
type scrubs struct {
	running chan struct{} // has an element while one runs
	begun   atomic.Int64  // calls of Scrub
	served  int64         // the calls up to this one are done; protected by running
}

// Scrub implements store.Scrubber. In the database file, a delete overwrites
// the deleted data (secure_delete). Scrub overwrites copies in unused parts of pages,
// and empties the write-ahead log, which contains earlier versions of the pages.
func (s *Store) Scrub(ctx context.Context) error {
	call := s.scrubs.begun.Add(1)
	select {
	case s.scrubs.running <- struct{}{}:
		defer func() { <-s.scrubs.running }()
	case <-ctx.Done():
		return fmt.Errorf("waiting for another scrub: %w", context.Cause(ctx))
	}
	if call <= s.scrubs.served {
		return nil
	}
	serves := s.scrubs.begun.Load()
	if err := s.clearUnused(ctx); err != nil {
		return fmt.Errorf("overwriting unused parts of pages: %w", err)
	}
	if err := s.emptyLog(ctx); err != nil {
		return err
	}
	s.scrubs.served = serves
	return nil
}

// emptyLog empties the write-ahead log. An attempt that would block on a reader is
// repeated later, so that other connections are not blocked for long.
func (s *Store) emptyLog(ctx context.Context) error {
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
