package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// startTurn accepts and starts a turn that is in no hub.
func startTurn(t *testing.T, kept store.Store) (bellcord.TurnID, bellcord.SessionID) {
	t.Helper()
	now := time.Now()
	if shared, is := kept.(*postgres.Store); is {
		now = shared.Now()
	}
	s, turn := bellcord.Session{ID: bellcord.NewSessionID(), Created: now, Updated: now}, bellcord.NewTurnID()
	commit(t, kept, store.PutSession{Session: s},
		store.AcceptTurn{Session: s.ID, Turn: turn, Prompt: bellcord.Prompt{Text: "go"}, At: now},
		store.ClaimTurn{Session: s.ID, Turn: turn, At: now})
	return turn, s.ID
}

func commit(t *testing.T, store store.Store, ops ...store.Op) {
	t.Helper()
	results, err := store.Commit(t.Context(), ops)
	for _, r := range results {
		err = errors.Join(err, r.Err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// buryLost ends the turn of a dead process as lost, and records no processes.
func buryLost(t *testing.T, kept store.Store, turn bellcord.TurnID) (ranOn string) {
	t.Helper()
	taken, err := kept.TakeOver(t.Context())
	if err != nil || len(taken) != 1 || taken[0].ID != turn {
		t.Fatalf("taken over: %+v, %v", taken, err)
	}
	of := taken[0]
	lost := bellcord.Receipt{Turn: turn, Session: of.Session, End: bellcord.EndLost, RaceWinner: bellcord.CompletionWon}
	lost.Times.Accepted, lost.Times.Settled = of.Accepted, time.Now()
	lost.Processes.Unknown, lost.Processes.Node = bellcord.ProcessesNotChecked, of.RanOn
	commit(t, kept, store.FinishTurn{
		Session: of.Session, Turn: turn, Fence: of.Fence, Receipt: lost, At: lost.Times.Settled,
	})
	return of.RanOn
}

func closeAll(t *testing.T, all ...interface{ Close() error }) {
	t.Helper()
	for _, one := range all {
		if err := one.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// becomes waits until a condition is true.
func becomes(t *testing.T, what string, is func() bool) {
	t.Helper()
	for bound := time.Now().Add(30 * time.Second); !is(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(bound) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

func noted(a *App, turn bellcord.TurnID) bool {
	a.recovery.mu.Lock()
	defer a.recovery.mu.Unlock()
	return a.recovery.lost[turn].ours
}

func processesOfTurn(t *testing.T, a *App, turn bellcord.TurnID) bellcord.Processes {
	t.Helper()
	record, err := a.Hub.Turn(t.Context(), turn)
	if err != nil || record.Receipt == nil {
		t.Fatalf("%+v, %v", record, err)
	}
	return record.Receipt.Processes
}

// Law 37: a process that declares a turn lost can die before it records the processes.
func TestLaw37_ProcessEndsBeforeItRecordsThatNothingWasLeft_NextStartRecordsItOnce(t *testing.T) {
	t.Parallel()
	c := testConfig(t)
	kept := openStoreOf(t, c)
	turn, session := startTurn(t, kept)
	closeAll(t, kept)
	kept = openStoreOf(t, c)
	buryLost(t, kept, turn)
	closeAll(t, kept)
	for range 2 {
		a, err := Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		becomes(t, "the processes are known", func() bool { return processesOfTurn(t, a, turn).Unknown == "" })
		if p := processesOfTurn(t, a, turn); p.Proof != "process_scan" || len(p.Ended) != 0 {
			t.Errorf("%+v", p)
		}
		closeAll(t, a)
	}
	kept = openStoreOf(t, c)
	defer closeAll(t, kept)
	recorded := 0
	err := store.EachEvent(t.Context(), kept, session, 0, func(ev bellcord.Event) bool {
		if _, is := ev.Body.(bellcord.ProcessesRecovered); is {
			recorded++
		}
		return true
	})
	if err != nil || recorded != 1 {
		t.Errorf("recorded %d times, %v", recorded, err)
	}
}

func openStoreOf(t *testing.T, c Config) Store {
	t.Helper()
	store, err := OpenStore(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// sharedConfig returns the settings of a node on a new schema of the test database.
func sharedConfig(t *testing.T, node string) Config {
	t.Helper()
	base := os.Getenv("BELLCORD_POSTGRES")
	if base == "" {
		base = "postgres://postgres@127.0.0.1:5432/test"
	}
	db, err := pgx.Connect(t.Context(), base)
	if err != nil && os.Getenv("CI") != "true" {
		t.Skipf("PostgreSQL is missing (BELLCORD_POSTGRES names a database in which schemas may be made): %v", err)
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
	c := testConfig(t)
	c.Settings.StoreURL = u.String()
	return asNode(c, node)
}

// asNode returns the settings with another name of the node.
func asNode(c Config, node string) Config {
	c.Settings.Cluster.NodeName, c.Settings.Cluster.LeaseDuration = node, config.Duration(time.Minute)
	return c
}

// Law 37: node b declares a turn of node a lost. Node a records that nothing was left,
// when it starts again on its data directory.
func TestLaw37_OtherNodeDeclaresTurnLost_OnlyNextStartOfItsNodeRecords(t *testing.T) {
	t.Parallel()
	c := sharedConfig(t, "a")
	first, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	turn, _ := startTurn(t, first.Store)
	closeAll(t, first)
	b := openStoreOf(t, asNode(c, "b"))
	if name := buryLost(t, b, turn); name != "a" {
		t.Errorf("the turn ran on %q", name)
	}
	closeAll(t, b)

	elsewhere := c
	elsewhere.Settings.DataDir = t.TempDir()
	for what, other := range map[string]Config{
		"the same node with another data directory": elsewhere, "another node": asNode(elsewhere, "b"),
	} {
		a := openTest(t, other)
		if s := a.recovery.newSearch(); !s.run() || noted(a, turn) || processesOfTurn(t, a, turn).Unknown == "" {
			t.Errorf("%s records processes that it has not seen", what)
		}
	}
	a := openTest(t, c)
	becomes(t, "the processes are known", func() bool { return processesOfTurn(t, a, turn).Unknown == "" })
	if p := processesOfTurn(t, a, turn); p.Proof != "process_scan" || p.Node != "" {
		t.Errorf("%+v", p)
	}
}

// A process that could not renew its lease may live, and its commands, too.
func TestSearch_OtherProcessUsesTheLedger_LeavesTheTurnOfTheNodeUnknown(t *testing.T) {
	t.Parallel()
	c := sharedConfig(t, "a")
	living, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	a := openTest(t, c)
	s := a.recovery.newSearch()
	r := bellcord.Receipt{Processes: bellcord.Processes{Unknown: bellcord.ProcessesNotChecked, Node: "a"}}
	r.Times.Started, s.began = s.began, s.began.Add(time.Second)
	if s.ours(r) {
		t.Error("the process of the turn lives")
	}
	closeAll(t, living)
	if !s.ours(r) {
		t.Error("the process of the turn is dead")
	}
}

// Node a starts again before its lease has expired.
func TestSearch_TurnOfADeadProcessHasNotEnded_IsNoted(t *testing.T) {
	t.Parallel()
	c := sharedConfig(t, "a")
	dead := openStoreOf(t, c)
	turn, _ := startTurn(t, dead)
	record, err := dead.Turn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(ledgerDir(c.Settings.DataDir), 0o700); err != nil {
		t.Fatal(err)
	}
	signature := fmt.Appendf(nil, `{"Name":%q}`, record.Node) // of a keeper that has died
	if err := os.WriteFile(filepath.Join(ledgerDir(c.Settings.DataDir), "dead.lock"), signature, 0o600); err != nil {
		t.Fatal(err)
	}
	a := openTest(t, c)
	becomes(t, "the turn is noted", func() bool { return noted(a, turn) })
	closeAll(t, dead) // its lease ends
	becomes(t, "the turn has ended", func() bool {
		record, err := a.Hub.Turn(t.Context(), turn)
		return err == nil && record.Receipt != nil && record.Receipt.Processes.Unknown == ""
	})
}
