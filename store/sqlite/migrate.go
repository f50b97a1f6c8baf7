package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/bellcord/bellcord"
)

//go:embed migrations/*.sql
var migrations embed.FS

// oldVersions is the last schema version with the names of events and fields from
// before they were changed. MigrateNames converts it.
const oldVersions = 8

// migrate brings the schema up to date. The n-th file in name order makes version
// oldVersions + n. It runs in one transaction that takes the write lock before it
// reads the version, so that processes that start together on a new directory
// wait for each other.
func migrate(ctx context.Context, conn *sql.Conn) error {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	var have int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
		return err
	}
	if have == oldVersions+len(files) {
		return nil
	}
	if _, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return err
	}
	if err := apply(ctx, conn, files); err != nil {
		_, _ = conn.ExecContext(ctx, `ROLLBACK`)
		return err
	}
	_, err = conn.ExecContext(ctx, `COMMIT`)
	return err
}

// errTooOld refuses a schema that no command of this program can convert.
func errTooOld(have int) error {
	return fmt.Errorf("the database has schema version %d, which is too old: this program can neither read nor convert it; use it with the program that wrote it, or choose an empty data directory", have)
}

func apply(ctx context.Context, conn *sql.Conn, files []string) error {
	var have int
	if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
		return err
	}
	switch supported := oldVersions + len(files); {
	case have > supported:
		return fmt.Errorf("the database has schema version %d, but this program supports only %d: a newer bellcord wrote it; update this program", have, supported)
	case have == 0:
		have = oldVersions
	case have < oldVersions:
		return errTooOld(have)
	case have == oldVersions:
		return bellcord.ErrOldNames
	}
	for i, name := range files[have-oldVersions:] {
		text, err := migrations.ReadFile(name)
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
