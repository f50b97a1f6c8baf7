package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
)

//go:embed migrations/*.sql
var migrations embed.FS

// firstVersion is the schema version that the first file makes. Older versions had
// other tables; no release wrote them.
const firstVersion = 14

// migrate brings the schema up to date. The n-th file in name order makes version
// firstVersion + n - 1. It runs in one transaction that takes the write lock before
// it reads the version, so that processes that start together on a new directory
// wait for each other.
func migrate(ctx context.Context, conn *sql.Conn, steps fs.FS) error {
	files, err := fs.Glob(steps, "migrations/*.sql")
	if err != nil {
		return err
	}
	var have int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
		return err
	}
	if have == firstVersion+len(files)-1 {
		return nil
	}
	if _, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	if err := apply(ctx, conn, steps, files); err != nil {
		_, _ = conn.ExecContext(ctx, `ROLLBACK`)
		return err
	}
	_, err = conn.ExecContext(ctx, `COMMIT`)
	return err
}

func apply(ctx context.Context, conn *sql.Conn, steps fs.FS, files []string) error {
	var have int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
		return err
	}
	switch supported := firstVersion + len(files) - 1; {
	case have > supported:
		return fmt.Errorf("the database has schema version %d, but this program supports only %d: a newer bellcord wrote it; update this program", have, supported)
	case have == 0:
		have = firstVersion - 1
	case have < firstVersion:
		return fmt.Errorf("the database has schema version %d, which is too old: this program cannot read it; choose an empty data directory", have)
	}
	for i, name := range files[have-firstVersion+1:] {
		text, err := fs.ReadFile(steps, name)
		if err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
		if _, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, have+i+1)); err != nil {
			return err
		}
	}
	return nil
}
