package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store/storecheck"
)

// Check checks the database in dir: SQLite's integrity check, the rules of
// storecheck, the identity, and receipts that were kept elsewhere. It writes
// nothing, registers no node and works while other processes use the store.
func Check(ctx context.Context, dir string, kept ...bellcord.Receipt) (report *storecheck.Report, err error) {
	s, err := openReader(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	report, err = storecheck.Run(ctx, s, kept...)
	if err != nil {
		return report, err
	}
	if err := s.checkPages(ctx, report); err != nil {
		report.Add("%v", explain(err))
	}
	var inDatabase identity
	inDir, err := readIdentity(dir)
	if err == nil {
		err = s.queryRow(ctx, `SELECT id, commits FROM identity`).Scan(&inDatabase.id, &inDatabase.commits)
	}
	if err == nil {
		err = inDir.compare(inDatabase)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		report.Add("%v", err)
	}
	return report, ctx.Err()
}

// checkPages runs the checks that need SQL.
func (s *Store) checkPages(ctx context.Context, report *storecheck.Report) error {
	rows, err := s.query(ctx, `PRAGMA integrity_check(20)`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err
		}
		if line != "ok" {
			report.Add("SQLite: %s", line)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	var without int
	err = s.queryRow(ctx, `SELECT count(*) FROM turns WHERE NOT EXISTS (SELECT 1 FROM events WHERE session = turns.session AND seq = first_seq AND turn = turns.id)`).Scan(&without)
	if err == nil && without > 0 {
		report.Add("%d turns have no prompt in the log", without)
	}
	if err != nil {
		return err
	}
	var orphans int
	err = s.queryRow(ctx, `SELECT count(*) FROM events WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE id = session)`).Scan(&orphans)
	if err == nil && orphans > 0 {
		report.Add("%d events belong to no session", orphans)
	}
	return err
}

// openReader opens an existing database for reading only.
func openReader(ctx context.Context, dir string) (*Store, error) {
	s := &Store{dir: dir}
	path := filepath.Join(dir, databaseName)
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.Size() == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	var err error
	if s.readers, err = sql.Open("sqlite", s.dsn("_pragma=query_only(1)")); err != nil {
		return nil, err
	}
	if err := s.readers.PingContext(ctx); err != nil {
		return nil, errors.Join(explain(err), s.readers.Close())
	}
	return s, nil
}
