package postgres_test

import (
	"context"
	"crypto/rand"
	"flag"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
	"github.com/bellcord/bellcord/store/storetest"
)

var batches = flag.Int("batches", 0, "number of batches with hostile values; 0 for a few")

func TestMain(m *testing.M) { storetest.Main(m, open) }

func TestStore_Suite_Passes(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Harness{Open: open, Place: func(t *testing.T) string { return place(t) }, Forsake: forsake, Gaps: gaps, Batches: *batches})
}

// gaps lists the requirements of the suite that this store does not meet, with
// the reason.
var gaps = map[string]string{
	"a call's arguments come back byte for byte": "the body's JSON compacts a RawMessage and escapes <, > and & in it: the same value, and the same bytes at every later reading, which is what prompt caches need",

	"an event of the session alone, committed twice, is there once": "an append without a turn has nothing to be recognised by; such events say how things are, and twice is no harm",

	"a replayed op is answered with the events that it added": "the answer to a replay leaves the events out; the log looks for the session's end instead",
}

// database returns the URL of the database in which tests create schemas.
func database() string {
	if named := os.Getenv("BELLCORD_POSTGRES"); named != "" {
		return named
	}
	return "postgres://postgres@127.0.0.1:5432/test"
}

// place creates a schema that is dropped after the test, and returns its URL.
func place(t testing.TB) string {
	t.Helper()
	db, err := pgx.Connect(t.Context(), database())
	if err != nil && os.Getenv("CI") != "true" {
		t.Skipf("PostgreSQL is missing (set BELLCORD_POSTGRES to the URL of a database in which schemas may be made): %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	schema := "bc_" + strings.ToLower(rand.Text())
	mustExec(t, db, `CREATE SCHEMA `+schema)
	mustExec(t, db, `CREATE TABLE `+schema+`.test_processes (node TEXT PRIMARY KEY, pid BIGINT NOT NULL)`)
	t.Cleanup(func() {
		at(t, database(), func(db *pgx.Conn) { mustExec(t, db, `DROP SCHEMA `+schema+` CASCADE`) })
	})
	return with(t, database(), "search_path", schema)
}

// at runs do on a plain connection that is not a node.
func at(t testing.TB, place string, do func(*pgx.Conn)) {
	t.Helper()
	clean, _ := leaseOf(place)
	db, err := pgx.Connect(context.Background(), clean)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.Background())
	do(db)
}

func mustExec(t testing.TB, db *pgx.Conn, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(context.Background(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// with adds a parameter to a URL.
func with(t testing.TB, place, name, value string) string {
	t.Helper()
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// leaseOf removes the lease from the URL of a place. A test passes the lease of a
// child process this way. In the suite, leases do not expire on their own.
func leaseOf(place string) (clean string, lease time.Duration) {
	u, err := url.Parse(place)
	if err != nil {
		return place, time.Hour
	}
	q := u.Query()
	lease, err = time.ParseDuration(q.Get("lease"))
	if err != nil {
		lease = time.Hour
	}
	q.Del("lease")
	u.RawQuery = q.Encode()
	return u.String(), lease
}

func open(place string) (storetest.Node, error) {
	ctx := context.Background()
	clean, lease := leaseOf(place)
	s, err := postgres.Open(ctx, clean, postgres.Options{Lease: lease, Renew: lease / 8})
	if err != nil {
		return nil, err
	}
	db, err := pgx.Connect(ctx, clean)
	if err != nil {
		return nil, err
	}
	defer db.Close(ctx)
	_, err = db.Exec(ctx, `INSERT INTO test_processes (node, pid) VALUES ($1, $2)`, s.NodeID(), os.Getpid())
	return &node{s, clean}, err
}

// node is a node of the suite, which kills processes and expects an immediate
// takeover. Before a takeover, it expires the leases of processes that are gone.
type node struct {
	*postgres.Store
	place string
}

func (n *node) TakeOver(ctx context.Context) ([]store.TurnRecord, error) {
	db, err := pgx.Connect(ctx, n.place)
	if err != nil {
		return nil, err
	}
	defer db.Close(ctx)
	rows, err := db.Query(ctx, `SELECT DISTINCT pid FROM test_processes`)
	if err != nil {
		return nil, err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, err
	}
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
			continue
		}
		if _, err := db.Exec(ctx, `UPDATE nodes SET lease_until = 1 WHERE id IN (SELECT node FROM test_processes WHERE pid = $1)`, pid); err != nil {
			return nil, err
		}
	}
	return n.Store.TakeOver(ctx)
}

// forsake expires all leases.
func forsake(t *testing.T, place string) {
	at(t, place, func(db *pgx.Conn) { mustExec(t, db, `UPDATE nodes SET lease_until = 1`) })
}

// openWith opens a node that is closed when the test ends. A lease that lasts for
// the whole test is not renewed, so that the test can expire it.
func openWith(t testing.TB, place string, opts postgres.Options) *postgres.Store {
	t.Helper()
	if opts.Lease == time.Hour {
		opts.Renew = opts.Lease / 8
	}
	s, err := postgres.Open(t.Context(), place, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}
