package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store/internal/oldnames"
)

// namesBackup is the copy that MigrateNames makes before it changes anything.
const namesBackup = databaseName + ".before-names"

// MigrateNames converts a database with the names of events and fields from before
// they were changed, and chains its events. It first copies the database to
// bellcord.db.before-names in dir, and returns that path. The conversion is one
// transaction: after an error in it the database is as it was. Then it brings the
// schema up to date, as Open does. It returns ErrInUse if
// another process has the store open.
func MigrateNames(ctx context.Context, dir string) (backup string, err error) {
	err = alone(dir, func() (err error) {
		db, err := sql.Open("sqlite", dsn(filepath.Join(dir, databaseName)))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		conn, err := db.Conn(ctx)
		if err != nil {
			return explain(err)
		}
		defer func() { err = errors.Join(err, conn.Close()) }()
		var have int
		if err := conn.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&have); err != nil {
			return explain(err)
		}
		switch {
		case have > oldVersions:
			return errors.New("the store already has the new names")
		case have < oldVersions:
			return errTooOld(have)
		}
		backup = filepath.Join(dir, namesBackup)
		if err := Backup(ctx, dir, backup); err != nil {
			return fmt.Errorf("copying the database to %s: %w", backup, err)
		}
		if _, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
			return explain(err)
		}
		if err := convertNames(ctx, conn); err != nil {
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), `ROLLBACK`)
			return err
		}
		if _, err = conn.ExecContext(ctx, `COMMIT`); err == nil {
			err = migrate(ctx, conn) // so that a check finds the tables that it reads
		}
		return explain(err)
	})
	return backup, err
}

func convertNames(ctx context.Context, conn *sql.Conn) error {
	for _, c := range []struct {
		table, key, column string
		convert            func([]byte) ([]byte, error)
	}{
		{"prompts", "turn", "prompt", oldnames.Prompt},
		{"turns", "id", "stop", oldnames.Cause},
		{"turns", "id", "receipt", oldnames.Receipt},
		{"intents", "turn || char(10) || owner", "cause", oldnames.Cause},
	} {
		if err := convertColumn(ctx, conn, c.table, c.key, c.column, c.convert); err != nil {
			return fmt.Errorf("table %s, column %s: %w", c.table, c.column, err)
		}
	}
	if err := convertEvents(ctx, conn); err != nil {
		return fmt.Errorf("table events: %w", err)
	}
	_, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, oldVersions+1))
	return err
}

// convertColumn converts a column of JSON. The rows are read first: SQLite does
// not define the result of a query if its rows are updated meanwhile.
func convertColumn(ctx context.Context, conn *sql.Conn, table, key, column string, convert func([]byte) ([]byte, error)) error {
	rows, err := conn.QueryContext(ctx, `SELECT `+key+`, `+column+` FROM `+table+` WHERE `+column+` IS NOT NULL`) //nolint:gosec // the names are constants above
	if err != nil {
		return err
	}
	defer rows.Close()
	converted := map[string]string{}
	for rows.Next() {
		var id string
		var data []byte
		if err := rows.Scan(&id, &data); err != nil {
			return err
		}
		renamed, err := convert(data)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		converted[id] = string(renamed)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for id, data := range converted {
		if _, err := conn.ExecContext(ctx, `UPDATE `+table+` SET `+column+` = $2 WHERE `+key+` = $1`, id, data); err != nil { //nolint:gosec // as above
			return err
		}
	}
	return nil
}

// convertEvents writes the events to a new table, with their hashes, and replaces
// the old one.
func convertEvents(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `
		ALTER TABLE events RENAME TO old_events;
		CREATE TABLE events (
		    session TEXT NOT NULL,
		    seq     BIGINT NOT NULL,
		    turn    TEXT NOT NULL,
		    kind    TEXT NOT NULL,
		    at      BIGINT NOT NULL,
		    body    TEXT NOT NULL,
		    hash    BLOB NOT NULL,
		    PRIMARY KEY (session, seq)
		) WITHOUT ROWID`)
	if err != nil {
		return err
	}
	var last bellcord.StoredEvent
	for {
		chunk, err := oldEvents(ctx, conn, last)
		if err != nil || len(chunk) == 0 {
			if err == nil {
				_, err = conn.ExecContext(ctx, `DROP TABLE old_events`)
			}
			return err
		}
		for _, ev := range chunk {
			if ev.Session != last.Session {
				last.Hash = bellcord.Hash{}
			}
			if ev.Kind, ev.Body, err = oldnames.Event(ev.Kind, ev.Body); err != nil {
				return fmt.Errorf("session %s, event %d: %w", ev.Session, ev.Seq, err)
			}
			ev.Hash = ev.HashAfter(last.Hash)
			if _, err := conn.ExecContext(ctx, `INSERT INTO events (session, seq, turn, kind, at, body, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
				string(ev.Session), ev.Seq, string(ev.Turn), ev.Kind, ev.At, string(ev.Body), ev.Hash[:]); err != nil {
				return err
			}
			last = ev
		}
	}
}

// oldEvents returns the next events after one, in the order of sessions and
// numbers.
func oldEvents(ctx context.Context, conn *sql.Conn, after bellcord.StoredEvent) ([]bellcord.StoredEvent, error) {
	const chunk = 1000
	rows, err := conn.QueryContext(ctx, `SELECT session, seq, turn, kind, at, body FROM old_events WHERE (session, seq) > ($1, $2) ORDER BY session, seq LIMIT $3`,
		string(after.Session), after.Seq, chunk)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []bellcord.StoredEvent
	for rows.Next() {
		var ev bellcord.StoredEvent
		if err := rows.Scan(&ev.Session, &ev.Seq, &ev.Turn, &ev.Kind, &ev.At, &ev.Body); err != nil {
			return nil, err
		}
		all = append(all, ev)
	}
	return all, rows.Err()
}
