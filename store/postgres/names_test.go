package postgres_test

import (
	"errors"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store/postgres"
	"github.com/bellcord/bellcord/store/storecheck"
)

// oldSchema makes a schema that was written before the names changed.
func oldSchema(t *testing.T) (home string) {
	t.Helper()
	home = place(t)
	text, err := os.ReadFile("testdata/old-names.sql")
	if err != nil {
		t.Fatal(err)
	}
	at(t, home, func(db *pgx.Conn) {
		if _, err := db.Exec(t.Context(), string(text), pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
	})
	return home
}

func TestOpen_OldNames_IsRefused(t *testing.T) {
	t.Parallel()
	if s, err := postgres.Open(t.Context(), oldSchema(t), postgres.Options{}); !errors.Is(err, bellcord.ErrOldNames) {
		t.Errorf("opened %v, error %v", s, err)
	}
}

func TestMigrateNames_OldSchema_KeepsEveryEventAndCanBeWritten(t *testing.T) {
	t.Parallel()
	home := oldSchema(t)
	if err := postgres.MigrateNames(t.Context(), home, postgres.Options{}); err != nil {
		t.Fatal(err)
	}
	s := openWith(t, home, postgres.Options{})
	report, err := storecheck.Run(t.Context(), s)
	if err != nil || len(report.Problems) > 0 || report.Turns != 6 || report.Chained != report.Events || report.Events < 40 {
		t.Errorf("the check: %+v, %v", report, err)
	}
	sessions, err := s.Sessions(t.Context(), bellcord.SessionQuery{})
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%d sessions, %v", len(sessions), err)
	}
	note := bellcord.AppendEvents{Session: sessions[0].ID, At: sessions[0].Updated, Bodies: []bellcord.Body{bellcord.SessionUpdated{Title: "new"}}}
	if results, err := s.Commit(t.Context(), []bellcord.Op{note}); err != nil || results[0].Err != nil {
		t.Fatal(err, results)
	}
	if report, err := storecheck.Run(t.Context(), s); err != nil || len(report.Problems) > 0 {
		t.Errorf("after an append: %+v, %v", report, err)
	}
}

func TestMigrateNames_LiveNode_IsRefused(t *testing.T) {
	t.Parallel()
	home := oldSchema(t)
	at(t, home, func(db *pgx.Conn) {
		mustExec(t, db, `INSERT INTO nodes (id, started, lease_until) VALUES ('n', 0, 9000000000000000000)`)
	})
	if err := postgres.MigrateNames(t.Context(), home, postgres.Options{}); !errors.Is(err, postgres.ErrInUse) {
		t.Errorf("error %v", err)
	}
}
