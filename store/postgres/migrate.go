package postgres

import (
	"context"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrating is the key of the advisory lock for migrations. There is one for the
// whole database, because a schema can be reached under several names.
const migrating = 0x42656c6c

// firstVersion is the schema version that the first file makes. Older versions had
// other tables; no release wrote them.
const firstVersion = 9

// migrate brings the schema up to date. The n-th file in name order makes version
// firstVersion + n - 1. It runs in one transaction under a lock that is taken
// before the version is read, so that processes that start together on a new
// schema wait for each other.
func (s *Store) migrate(ctx context.Context) error {
	return pgx.BeginFunc(ctx, s.writer, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, `SELECT pg_advisory_xact_lock($1, 0)`, migrating); err != nil {
			return err
		}
		if s.opts.Schema != "" {
			if _, err := t.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+pgx.Identifier{s.opts.Schema}.Sanitize()); err != nil {
				return err
			}
		}
		have, err := schemaVersion(ctx, t)
		if err != nil {
			return err
		}
		return apply(ctx, t, migrations, have)
	})
}

func schemaVersion(ctx context.Context, t pgx.Tx) (have int, err error) {
	var exists bool
	if err := t.QueryRow(ctx, `SELECT to_regclass('schema_version') IS NOT NULL`).Scan(&exists); err != nil {
		return 0, err
	}
	if !exists {
		_, err := t.Exec(ctx, `CREATE TABLE schema_version AS SELECT 0::bigint AS version`)
		return 0, err
	}
	err = t.QueryRow(ctx, `SELECT version FROM schema_version`).Scan(&have)
	return have, err
}

func apply(ctx context.Context, t pgx.Tx, steps fs.FS, have int) error {
	files, err := fs.Glob(steps, "migrations/*.sql")
	if err != nil {
		return err
	}
	version := firstVersion + len(files) - 1
	switch {
	case have > version:
		return newerSchema(have, version)
	case have == version:
		return nil
	case have == 0:
		have = firstVersion - 1
	case have < firstVersion:
		return fmt.Errorf("the database has schema version %d, which is too old: this program cannot read it; choose an empty database", have)
	}
	for _, name := range files[have-firstVersion+1:] {
		text, err := fs.ReadFile(steps, name)
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, string(text), pgx.QueryExecModeSimpleProtocol); err != nil { // a single text with several statements
			return fmt.Errorf("migration %s: %w", name, err)
		}
	}
	_, err = t.Exec(ctx, `UPDATE schema_version SET version = $1`, version)
	return err
}
