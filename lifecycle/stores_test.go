package lifecycle_test

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
	"github.com/bellcord/bellcord/store/sqlite"
)

var ops = flag.Int("ops", 4000, "how many ops the stores are compared on, at least")

// opsPerRun is the length of one sequence of ops.
const opsPerRun = 100

// For every op and every state of its turn, the results of both stores match the
// decision: the error, the turn's stop, the fence of a claim, and whether events
// were appended.
func TestDecide_RandomFactsAndOps_MatchBothStores(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows removes no file that is open, so no live SQLite node can be taken over")
	}
	stores := map[string][]store.Store{"sqlite": sqliteNodes(t), "postgres": postgresNodes(t)}
	if err := flag.Set("rapid.checks", fmt.Sprint((*ops+opsPerRun-1)/opsPerRun)); err != nil {
		t.Fatal(err)
	}
	done, refused, repeated := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		m, sessions, turns := newModel(rt, stores)
		var batch []decided
		for range opsPerRun {
			s := m.draw(rt, sessions, turns)
			if len(batch) > 0 && batch[0].node != s.node || len(batch) == opsPerCommit {
				compareAll(rt, stores, batch)
				batch = nil
			}
			one := decided{step: s, d: lifecycle.Decide(m.facts(s), s.op)}
			if stop, is := s.op.(store.RecordStop); is {
				one.kept = m.turns[stop.Turn] == nil
			}
			batch = append(batch, one)
			switch {
			case one.d.Apply:
				m.apply(s, one.d)
			case one.d.Err != nil:
				refused++
			default:
				repeated++
			}
			done++
		}
		compareAll(rt, stores, batch)
	})
	t.Logf("%d ops on 2 stores: %d refused, %d had nothing to change, the rest was carried out; all answered alike", done, refused, repeated)
	if refused < done/10 || repeated < done/50 || refused+repeated > done*9/10 {
		t.Error("too few ops were refused, repeated or carried out")
	}
}

// opsPerCommit is the number of ops in one commit.
const opsPerCommit = 16

// decided is a step with its decision.
type decided struct {
	step
	d    lifecycle.Decision
	kept bool // a stop for a turn that does not exist
}

func newModel(t *rapid.T, stores map[string][]store.Store) (*model, []bellcord.SessionID, []bellcord.TurnID) {
	m := &model{owners: map[bellcord.SessionID]string{}, turns: map[bellcord.TurnID]*modelTurn{}, early: map[earlyKey]*bellcord.Cause{}}
	sessions := []bellcord.SessionID{bellcord.NewSessionID(), bellcord.NewSessionID(), bellcord.NewSessionID()} // the last does not exist
	for i, owner := range []string{"anna", "ben"} {
		m.owners[sessions[i]] = owner
		for name, nodes := range stores {
			put := store.PutSession{Session: bellcord.Session{ID: sessions[i], Dir: "/", Owner: owner, Created: time.Unix(1, 0), Updated: time.Unix(1, 0)}}
			if _, err := nodes[0].Commit(context.Background(), []store.Op{put}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	turns := make([]bellcord.TurnID, 5)
	for i := range turns {
		turns[i] = bellcord.NewTurnID()
	}
	return m, sessions, turns
}

// compareAll commits the steps of one node to each store and compares the results
// with the decisions.
func compareAll(t *rapid.T, stores map[string][]store.Store, batch []decided) {
	ops := make([]store.Op, len(batch))
	for i, one := range batch {
		ops[i] = one.op
	}
	for name, nodes := range stores {
		results, err := nodes[batch[0].node].Commit(context.Background(), ops)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, one := range batch {
			if why := one.differs(results[i]); why != "" {
				t.Fatalf("%s: node %d, %T %+v: %s", name, one.node, one.op, one.op, why)
			}
		}
	}
}

// differs returns how a result differs from the decision, or "".
func (one decided) differs(r store.Result) string {
	d := one.d
	_, isStop := one.op.(store.RecordStop)
	if one.kept { // the result does not contain a kept stop
		d.Stop, d.Apply = nil, false
	}
	adds := d.Apply && (!isStop || d.Event)
	switch {
	case !errors.Is(r.Err, d.Err) || (r.Err == nil) != (d.Err == nil):
		return fmt.Sprintf("answered %v, decided %v", r.Err, d.Err)
	case (r.Stop == nil) != (d.Stop == nil) || r.Stop != nil && (r.Stop.By != d.Stop.By || r.Stop.Mode != d.Stop.Mode):
		return fmt.Sprintf("answered the stop %+v, decided %+v", r.Stop, d.Stop)
	case r.Fence != d.Fence:
		return fmt.Sprintf("answered fence %d, decided %d", r.Fence, d.Fence)
	case (len(r.Events) > 0) != adds:
		return fmt.Sprintf("%d events were added, decided %+v", len(r.Events), d)
	}
	return ""
}

// sqliteNodes opens three nodes on one database. The last one has been taken
// over.
func sqliteNodes(t *testing.T) []store.Store {
	dir := t.TempDir()
	open := func() *sqlite.Store {
		s, err := sqlite.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	closed := open()
	locks, err := filepath.Glob(filepath.Join(dir, "nodes", "*.lock"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("locks: %v, %v", locks, err)
	}
	if err := os.Remove(locks[0]); err != nil {
		t.Fatal(err)
	}
	first, second := open(), open()
	if _, err := first.TakeOver(t.Context()); err != nil {
		t.Fatal(err)
	}
	return []store.Store{first, second, closed}
}

// postgresNodes does the same in a schema that is dropped after the test.
func postgresNodes(t *testing.T) []store.Store {
	base := os.Getenv("BELLCORD_POSTGRES")
	if base == "" {
		base = "postgres://postgres@127.0.0.1:5432/test"
	}
	db, err := pgx.Connect(t.Context(), base)
	if err != nil && os.Getenv("CI") != "true" {
		t.Skipf("PostgreSQL is missing (set BELLCORD_POSTGRES to the URL of a database in which schemas may be made): %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	schema := "bc_" + strings.ToLower(rand.Text())
	exec := func(query string) {
		if _, err := db.Exec(context.Background(), query); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE SCHEMA ` + schema)
	t.Cleanup(func() {
		exec(`DROP SCHEMA ` + schema + ` CASCADE`)
		_ = db.Close(context.Background())
	})
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	open := func() store.Store {
		s, err := postgres.Open(t.Context(), u.String(), postgres.Options{Lease: time.Hour, Renew: 10 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	closed := open()
	exec(`DELETE FROM ` + schema + `.nodes`)
	return []store.Store{open(), open(), closed}
}
