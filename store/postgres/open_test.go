package postgres_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store/postgres"
)

func TestOpen_NewerSchemaVersion_Fails(t *testing.T) {
	t.Parallel()
	home := place(t)
	first := openWith(t, home, postgres.Options{})
	at(t, home, func(db *pgx.Conn) { mustExec(t, db, `UPDATE schema_version SET version = version + 900`) })
	s, err := postgres.Open(t.Context(), home, postgres.Options{})
	if err == nil {
		_ = s.Close()
		t.Fatal("it was opened")
	}
	for _, part := range []string{"schema version 90", "newer"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message %q does not say %q", err, part)
		}
	}
	at(t, home, func(db *pgx.Conn) {
		var nodes int
		if err := db.QueryRow(t.Context(), `SELECT count(*) FROM nodes`).Scan(&nodes); err != nil || nodes != 1 {
			t.Errorf("%d nodes, %v", nodes, err)
		}
		mustExec(t, db, `UPDATE schema_version SET version = version - 900`)
	})
	session(t, first)
	session(t, openWith(t, home, postgres.Options{}))
}

func TestOpen_SchemaOlderThanTheFirst_IsRefused(t *testing.T) {
	t.Parallel()
	home := place(t)
	openWith(t, home, postgres.Options{})
	at(t, home, func(db *pgx.Conn) { mustExec(t, db, `UPDATE schema_version SET version = version - 1`) })
	_, err := postgres.Open(t.Context(), home, postgres.Options{})
	if err == nil || !strings.Contains(err.Error(), "schema version 8, which is too old") {
		t.Errorf("opening it: %v", err)
	}
}

func TestOpen_SchemaOption_CreatesSchema(t *testing.T) {
	t.Parallel()
	home := place(t)
	const odd = ` "Od.d" Schéma`
	name := string(bellcord.NewSessionID()) + odd
	t.Cleanup(func() {
		at(t, home, func(db *pgx.Conn) { mustExec(t, db, `DROP SCHEMA `+pgx.Identifier{name}.Sanitize()+` CASCADE`) })
	})
	s, apart := openWith(t, home, postgres.Options{Schema: name}), openWith(t, home, postgres.Options{})
	id := session(t, s)
	if _, err := openWith(t, home, postgres.Options{Schema: name}).Session(t.Context(), id); err != nil {
		t.Errorf("another node of the schema: %v", err)
	}
	if _, err := apart.Session(t.Context(), id); err == nil {
		t.Error("the session is in the other schema, too")
	}
}

func TestOpen_UnreachableDatabase_Fails(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://127.0.0.1:1/nothing?connect_timeout=1", "no URL at all"} {
		if s, err := postgres.Open(t.Context(), url, postgres.Options{}); err == nil {
			_ = s.Close()
			t.Errorf("%q was opened", url)
		}
	}
}

func TestChanged_OwnWrites_AreNotReported(t *testing.T) {
	t.Parallel()
	home := place(t)
	s, other := openWith(t, home, postgres.Options{}), openWith(t, home, postgres.Options{})
	if changed, err := s.Changed(t.Context()); err != nil || !changed {
		t.Errorf("at first there may be news: %v, %v", changed, err)
	}
	for range 3 {
		id := session(t, s)
		if changed, err := s.Changed(t.Context()); err != nil || changed {
			t.Errorf("news %v, %v", changed, err)
		}
		ok(t, other, note(id, "x"))
		if changed, err := s.Changed(t.Context()); err != nil || !changed {
			t.Errorf("another wrote: news %v, %v", changed, err)
		}
	}
}
