package postgres_test

import (
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord/store/postgres"
)

// steps is the first file of the schema and further ones.
func steps(t *testing.T, further ...string) fs.FS {
	t.Helper()
	first, err := postgres.InitialSchema()
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"migrations/0001_initial.sql": {Data: first}}
	for i, text := range further {
		files[fmt.Sprintf("migrations/%04d_further.sql", i+2)] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func scanInt(t *testing.T, db *pgx.Conn, query string) (n int) {
	t.Helper()
	if err := db.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

const (
	version   = `SELECT version FROM schema_version`
	makeTable = `CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1)`
	addRow    = `INSERT INTO numbers SELECT n + 1 FROM numbers`
)

func TestMigrate_FurtherSteps_AreAppliedOnceAndInOrder(t *testing.T) {
	t.Parallel()
	home := place(t)
	openWith(t, home, postgres.Options{})
	at(t, home, func(db *pgx.Conn) {
		for _, further := range [][]string{nil, {makeTable}, {makeTable, addRow}, {makeTable, addRow}} {
			if err := postgres.Apply(t.Context(), db, steps(t, further...), scanInt(t, db, version)); err != nil {
				t.Fatalf("%d further steps: %v", len(further), err)
			}
			if have := scanInt(t, db, version); have != postgres.FirstVersion+len(further) {
				t.Errorf("%d further steps: version %d", len(further), have)
			}
		}
		if sum := scanInt(t, db, `SELECT sum(n) FROM numbers`); sum != 3 {
			t.Errorf("the sum is %d", sum)
		}
	})
}

func TestMigrate_WrongStep_ChangesNothing(t *testing.T) {
	t.Parallel()
	home := place(t)
	openWith(t, home, postgres.Options{})
	at(t, home, func(db *pgx.Conn) {
		wrong := steps(t, makeTable, `INSERT INTO nothing VALUES (1)`)
		if err := postgres.Apply(t.Context(), db, wrong, scanInt(t, db, version)); err == nil {
			t.Fatal("the wrong step was applied")
		}
		if have := scanInt(t, db, version); have != postgres.FirstVersion {
			t.Errorf("version %d", have)
		}
		if tables := scanInt(t, db, `SELECT count(*) FROM pg_tables WHERE tablename = 'numbers'`); tables != 0 {
			t.Error("the step before the wrong one was kept")
		}
	})
}
