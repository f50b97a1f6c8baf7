package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store/internal/oldnames"
)

// ErrInUse means that live nodes use the store.
var ErrInUse = errors.New("the store is in use: shut down all nodes first")

// MigrateNames converts a schema with the names of events and fields from before
// they were changed, and chains its events. It is one transaction: after an error
// the schema is as it was. It makes no copy; use pg_dump before. It returns
// ErrInUse if a node has a lease.
func MigrateNames(ctx context.Context, url string, opts Options) error {
	config, err := configure(url, opts.withDefaults())
	if err != nil {
		return err
	}
	delete(config.ConnConfig.RuntimeParams, "idle_in_transaction_session_timeout") // converting a chunk can take longer
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return fmt.Errorf("opening the store in PostgreSQL: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return pgx.BeginFunc(ctx, conn, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, `SELECT pg_advisory_xact_lock($1, 0)`, migrating); err != nil {
			return err
		}
		have, err := schemaVersion(ctx, t)
		switch {
		case err != nil:
			return err
		case have > oldVersions:
			return errors.New("the store already has the new names")
		case have < oldVersions:
			return errTooOld(have)
		}
		var live int
		if err := t.QueryRow(ctx, `SELECT count(*) FROM nodes WHERE lease_until > `+clock).Scan(&live); err != nil {
			return err
		} else if live > 0 {
			return ErrInUse
		}
		return convertNames(ctx, t)
	})
}

func convertNames(ctx context.Context, t pgx.Tx) error {
	for _, c := range []struct {
		table, key, column string
		convert            func([]byte) ([]byte, error)
	}{
		{"prompts", "turn", "prompt", oldnames.Prompt},
		{"turns", "id", "stop", oldnames.Cause},
		{"turns", "id", "receipt", oldnames.Receipt},
		{"intents", "turn || chr(10) || owner", "cause", oldnames.Cause},
	} {
		if err := convertColumn(ctx, t, c.table, c.key, c.column, c.convert); err != nil {
			return fmt.Errorf("table %s, column %s: %w", c.table, c.column, err)
		}
	}
	if _, err := t.Exec(ctx, `
		ALTER TABLE events ADD COLUMN hash BYTEA NOT NULL DEFAULT '';
		ALTER TABLE tails ALTER COLUMN last_seq SET DEFAULT 0, ADD COLUMN hash BYTEA NOT NULL DEFAULT ''`, pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	rows, err := t.Query(ctx, `SELECT session FROM tails ORDER BY session`)
	if err != nil {
		return err
	}
	sessions, err := pgx.CollectRows(rows, pgx.RowTo[word])
	if err != nil {
		return err
	}
	for _, session := range sessions {
		if err := convertSession(ctx, t, session); err != nil {
			return fmt.Errorf("session %s: %w", session, err)
		}
	}
	_, err = t.Exec(ctx, `ALTER TABLE events ALTER COLUMN hash DROP DEFAULT; UPDATE schema_version SET version = `+fmt.Sprint(oldVersions+1), pgx.QueryExecModeSimpleProtocol)
	return err
}

// convertColumn converts a column of JSON.
func convertColumn(ctx context.Context, t pgx.Tx, table, key, column string, convert func([]byte) ([]byte, error)) error {
	rows, err := t.Query(ctx, `SELECT `+key+`, `+column+` FROM `+table+` WHERE `+column+` IS NOT NULL`)
	if err != nil {
		return err
	}
	var ids, all []string
	var id, data string
	_, err = pgx.ForEachRow(rows, []any{&id, &data}, func() error {
		renamed, err := convert([]byte(data))
		ids, all = append(ids, id), append(all, string(renamed))
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	_, err = t.Exec(ctx, `UPDATE `+table+` SET `+column+` = new.value FROM unnest($1::text[], $2::text[]) AS new (key, value) WHERE `+key+` = new.key`, ids, all)
	return err
}

// convertSession converts the events of a session and chains them.
func convertSession(ctx context.Context, t pgx.Tx, session word) error {
	const chunk = 1000
	var head bellcord.LogHead
	for {
		rows, err := t.Query(ctx, `SELECT seq, turn, kind, at, body FROM events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3`, session, head.Seq, chunk)
		if err != nil {
			return err
		}
		events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (bellcord.StoredEvent, error) {
			ev := bellcord.StoredEvent{Session: bellcord.SessionID(session)}
			return ev, row.Scan(&ev.Seq, (*word)(&ev.Turn), &ev.Kind, &ev.At, &ev.Body)
		})
		if err != nil {
			return err
		}
		if len(events) == 0 {
			_, err := t.Exec(ctx, `UPDATE tails SET hash = $2 WHERE session = $1`, session, head.Hash[:])
			return err
		}
		b := &pgx.Batch{}
		for _, ev := range events {
			if ev.Kind, ev.Body, err = oldnames.Event(ev.Kind, ev.Body); err != nil {
				return fmt.Errorf("event %d: %w", ev.Seq, err)
			}
			ev.Hash = ev.HashAfter(head.Hash)
			head = bellcord.LogHead{Seq: ev.Seq, Hash: ev.Hash}
			b.Queue(`UPDATE events SET kind = $3, body = $4, hash = $5 WHERE session = $1 AND seq = $2`, session, ev.Seq, ev.Kind, ev.Body, ev.Hash[:])
		}
		if err := t.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
	}
}
