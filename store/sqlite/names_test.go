package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store/sqlite"
)

// oldStore makes a data directory with a database that was written before the
// names changed. testdata/old-names.sql is a dump of a real one: six turns of the
// fake model, one stopped by a person and one by its deadline.
func oldStore(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	text, err := os.ReadFile("testdata/old-names.sql")
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "bellcord.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), string(text)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpen_OldNames_IsRefusedWithTheCommandToRun(t *testing.T) {
	t.Parallel()
	s, err := sqlite.Open(t.Context(), oldStore(t))
	if !errors.Is(err, bellcord.ErrOldNames) || !strings.Contains(err.Error(), "bellcord store migrate-names") {
		t.Errorf("opened %v, error %v", s, err)
	}
}

func TestMigrateNames_OldStore_KeepsEveryEventAndReceipt(t *testing.T) {
	t.Parallel()
	dir := oldStore(t)
	backup, err := sqlite.MigrateNames(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(backup); err != nil || filepath.Base(backup) != "bellcord.db.before-names" {
		t.Errorf("the copy %q: %v", backup, err)
	}
	if report, err := sqlite.Check(t.Context(), dir); err != nil || len(report.Problems) > 0 {
		t.Errorf("a check before the store is opened: %+v, %v", report, err)
	}
	s := opened(t, dir)
	sessions, err := s.Sessions(t.Context(), bellcord.SessionQuery{})
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%d sessions, %v", len(sessions), err)
	}
	events, err := s.Events(t.Context(), sessions[0].ID, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, ev := range events {
		counts[ev.Body.Kind()]++
		checkOldTurn(t, s, ev)
	}
	if counts["turn_accepted"] != 6 || counts["turn_ended"] != 6 || counts["tool_call_ended"] != 2 || counts["stop_requested"] != 2 {
		t.Errorf("the log has %v", counts)
	}
	if report, err := sqlite.Check(t.Context(), dir); err != nil || len(report.Problems) > 0 || report.Chained != len(events) {
		t.Errorf("the check: %+v, %v", report, err)
	}
}

func TestMigrateNames_OldStore_HasTheSchemaOfANewStore(t *testing.T) {
	t.Parallel()
	converted, fresh := oldStore(t), t.TempDir()
	if _, err := sqlite.MigrateNames(t.Context(), converted); err != nil {
		t.Fatal(err)
	}
	opened(t, converted).Close() // applies the later migrations
	opened(t, fresh).Close()
	if got, want := schema(t, converted), schema(t, fresh); got != want || !strings.Contains(want, "hash") {
		t.Errorf("the converted store has the schema\n%s\na new one has\n%s", got, want)
	}
}

// schema returns the columns of every table and the definition of every index,
// without the order of columns and without defaults: every INSERT names all
// columns, and those that were added to old tables have a default.
func schema(t *testing.T, dir string) string {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "bellcord.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var text string
	err = db.QueryRowContext(t.Context(), `SELECT group_concat(line, char(10)) FROM (
		SELECT m.name || ' ' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || c.pk AS line
			FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
		UNION ALL SELECT name || ' ' || coalesce(sql, '-') FROM sqlite_master WHERE type = 'index'
		ORDER BY 1)`).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkOldTurn checks fields with new names, units or values.
func checkOldTurn(t *testing.T, s *sqlite.Store, ev bellcord.Event) {
	t.Helper()
	switch b := ev.Body.(type) {
	case bellcord.ToolCallRequested:
		if !strings.Contains(string(b.Arguments), `"command"`) {
			t.Errorf("a call has the arguments %s", b.Arguments)
		}
	case bellcord.TurnEnded:
		record, err := s.Turn(t.Context(), ev.Turn)
		if err != nil || record.Receipt == nil || record.Receipt.RaceWinner == "" || b.Receipt.RaceWinner != record.Receipt.RaceWinner {
			t.Errorf("turn %s: %+v, %v", ev.Turn, record.Receipt, err)
			return
		}
		r := b.Receipt
		if r.Usage.InputTokens == 0 || r.End == bellcord.EndDone && r.Kept.TextBytes == 0 {
			t.Errorf("a receipt has lost its usage or sizes: %+v", r)
		}
		if r.End == bellcord.EndStopped && (r.Cause == nil || r.Cause.Source == "" || r.Times.StopRequested.IsZero()) {
			t.Errorf("a receipt has lost its stop: %+v", r)
		}
		if cause := r.Cause; cause != nil && cause.Kind == bellcord.CauseDeadline && record.Prompt.Deadline.String() != "2s" {
			t.Errorf("the deadline was 2s and is %s", record.Prompt.Deadline)
		}
	}
}

func TestMigrateNames_NewStore_IsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opened(t, dir).Close()
	if _, err := sqlite.MigrateNames(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "already has the new names") {
		t.Errorf("error %v", err)
	}
}

func TestMigrateNames_DamagedEvent_ChangesNothing(t *testing.T) {
	t.Parallel()
	dir := oldStore(t)
	change := func(query string) {
		db, err := sql.Open("sqlite", filepath.Join(dir, "bellcord.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
	change(`UPDATE events SET body = 'x' WHERE seq = 20`)
	if _, err := sqlite.MigrateNames(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "event 20") {
		t.Fatalf("error %v", err)
	}
	change(`UPDATE events SET body = '{"text":"x"}' WHERE seq = 20 AND kind = 'said'`) // fails if the table is not the old one
	if _, err := sqlite.Open(t.Context(), dir); !errors.Is(err, bellcord.ErrOldNames) {
		t.Errorf("error %v", err)
	}
}
