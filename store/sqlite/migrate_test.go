package sqlite

import (
	"database/sql"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// steps is the first file of the schema and further ones.
func steps(t *testing.T, further ...string) fs.FS {
	t.Helper()
	first, err := migrations.ReadFile("migrations/0001_initial.sql")
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"migrations/0001_initial.sql": {Data: first}}
	for i, text := range further {
		files[fmt.Sprintf("migrations/%04d_further.sql", i+2)] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func openConn(t *testing.T) *sql.Conn {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), databaseName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func scanInt(t *testing.T, conn *sql.Conn, query string) (n int) {
	t.Helper()
	if err := conn.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

const (
	makeTable = `CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1)`
	addRow    = `INSERT INTO numbers SELECT n + 1 FROM numbers`
)

func TestMigrate_FurtherSteps_AreAppliedOnceAndInOrder(t *testing.T) {
	t.Parallel()
	conn := openConn(t)
	for _, further := range [][]string{nil, nil, {makeTable}, {makeTable, addRow}, {makeTable, addRow}} {
		if err := migrate(t.Context(), conn, steps(t, further...)); err != nil {
			t.Fatalf("%d further steps: %v", len(further), err)
		}
		if have := scanInt(t, conn, `PRAGMA user_version`); have != firstVersion+len(further) {
			t.Errorf("%d further steps: version %d", len(further), have)
		}
	}
	if sum := scanInt(t, conn, `SELECT sum(n) FROM numbers`); sum != 3 {
		t.Errorf("the sum is %d", sum)
	}
}

func TestMigrate_WrongStep_ChangesNothing(t *testing.T) {
	t.Parallel()
	conn := openConn(t)
	if err := migrate(t.Context(), conn, steps(t)); err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), conn, steps(t, makeTable, `INSERT INTO nothing VALUES (1)`)); err == nil {
		t.Fatal("the wrong step was applied")
	}
	if have := scanInt(t, conn, `PRAGMA user_version`); have != firstVersion {
		t.Errorf("version %d", have)
	}
	if tables := scanInt(t, conn, `SELECT count(*) FROM sqlite_master WHERE name = 'numbers'`); tables != 0 {
		t.Error("the step before the wrong one was kept")
	}
}
