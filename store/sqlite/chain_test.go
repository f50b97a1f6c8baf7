package sqlite_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// changes is the number of random changes to stored events.
const changes = 1000

func TestCheck_OneByteOfAnEventChanged_FindsItEveryTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fillStore(t, dir)
	if report, err := sqlite.Check(t.Context(), dir); err != nil || len(report.Problems) > 0 || report.Chained != report.Events || report.Events < 30 {
		t.Fatalf("before any change: %+v, %v", report, err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "bellcord.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	chance := rand.New(rand.NewPCG(20261115, 18))
	columns := map[string]int{}
	for n := 0; n < changes; {
		change := randomChange(t, db, chance)
		if !change.apply(db) { // another event has this session and number
			continue
		}
		report, err := sqlite.Check(t.Context(), dir)
		if err != nil || len(report.Problems) == 0 {
			t.Fatalf("not found: %s of event %d of %s, %q to %q (%v)", change.column, change.seq, change.session, change.from, change.to, err)
		}
		if !change.revert(db) {
			t.Fatalf("cannot revert %+v", change)
		}
		columns[change.column]++
		n++
	}
	t.Logf("%d changes found: %v", changes, columns)
	if report, err := sqlite.Check(t.Context(), dir); err != nil || len(report.Problems) > 0 {
		t.Errorf("after all changes were reverted: %+v, %v", report, err)
	}
}

func TestReceipt_LogRewrittenWithNewHashes_DisagreesWithTheKeptReceipt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	turns := fillStore(t, dir)
	s := opened(t, dir)
	record, err := s.Turn(t.Context(), turns[len(turns)-1])
	if err != nil {
		t.Fatal(err)
	}
	kept := *record.Receipt
	if report, err := sqlite.Check(t.Context(), dir, kept); err != nil || len(report.Problems) > 0 {
		t.Fatalf("before the change: %+v, %v", report, err)
	}
	rewrite(t, s, dir, record.Session)
	if report, err := sqlite.Check(t.Context(), dir); err != nil || len(report.Problems) > 0 {
		t.Errorf("the rewritten log has a broken chain: %+v, %v", report, err)
	}
	report, err := sqlite.Check(t.Context(), dir, kept)
	if err != nil || len(report.Problems) != 1 || !strings.Contains(report.Problems[0], "another receipt") {
		t.Errorf("the rewritten log and the kept receipt: %+v, %v", report, err)
	}
	// The attacker also restores the receipt of this turn, which then disagrees with the log.
	setReceipt(t, dir, kept)
	report, err = sqlite.Check(t.Context(), dir, kept)
	if err != nil || len(report.Problems) == 0 || !strings.Contains(report.Problems[0], "the log was rewritten") {
		t.Errorf("the rewritten log and the restored receipt: %+v, %v", report, err)
	}
}

// rewrite changes the text of the answers in a session and computes all hashes,
// heads and receipts again, as an attacker with access to the file would.
func rewrite(t *testing.T, s *sqlite.Store, dir string, session bellcord.SessionID) {
	t.Helper()
	events, err := s.StoredEvents(t.Context(), session, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var head bellcord.LogHead
	for _, ev := range events {
		switch ev.Kind {
		case "text_delta":
			ev.Body = []byte(`{"text":"something else"}`)
		case "turn_ended":
			var ended bellcord.TurnEnded
			if err := json.Unmarshal(ev.Body, &ended); err != nil {
				t.Fatal(err)
			}
			ended.Receipt.LogHead = &head
			ev.Body = marshal(t, ended)
			setReceipt(t, dir, ended.Receipt)
		}
		hash := ev.HashAfter(head.Hash)
		execute(t, dir, `UPDATE events SET body = $1, hash = $2 WHERE session = $3 AND seq = $4`, string(ev.Body), hash[:], string(session), ev.Seq)
		head = bellcord.LogHead{Seq: ev.Seq, Hash: hash}
	}
}

// setReceipt replaces the receipt in the record of its turn.
func setReceipt(t *testing.T, dir string, r bellcord.Receipt) {
	t.Helper()
	execute(t, dir, `UPDATE turns SET receipt = $1 WHERE id = $2`, string(marshal(t, r)), string(r.Turn))
}

func execute(t *testing.T, dir, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "bellcord.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// fillStore writes three sessions with several turns and returns the turns.
func fillStore(t *testing.T, dir string) (turns []bellcord.TurnID) {
	t.Helper()
	s := opened(t, dir)
	at := time.Unix(1_800_000_000, 0)
	do := func(ops ...store.Op) []store.Result {
		results, err := s.Commit(t.Context(), ops)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range results {
			if r.Err != nil {
				t.Fatal(r.Err)
			}
		}
		return results
	}
	for range 3 {
		session := bellcord.Session{ID: bellcord.NewSessionID(), Dir: "/work", Created: at, Updated: at}
		do(store.PutSession{Session: session})
		for n := range 2 {
			turn := bellcord.NewTurnID()
			turns = append(turns, turn)
			do(store.AcceptTurn{Session: session.ID, Turn: turn, Prompt: bellcord.Prompt{Text: fmt.Sprint("prompt ", n)}, At: at})
			fence := do(store.ClaimTurn{Session: session.ID, Turn: turn, At: at})[0].Fence
			do(store.AppendEvents{Session: session.ID, Turn: turn, Fence: fence, N: 1, At: at, Bodies: []bellcord.Body{
				bellcord.StepStarted{Step: 1, Model: "a/b"}, bellcord.TextDelta{Text: "hello, ü"}, bellcord.StepEnded{Finish: bellcord.FinishStop},
			}})
			receipt := bellcord.Receipt{Turn: turn, Session: session.ID, End: bellcord.EndDone, RaceWinner: bellcord.CompletionWon, Times: bellcord.Times{Settled: at}}
			do(store.FinishTurn{Session: session.ID, Turn: turn, Fence: fence, Receipt: receipt, At: at})
		}
		do(store.AppendEvents{Session: session.ID, At: at, Bodies: []bellcord.Body{bellcord.SessionUpdated{Title: "new"}}})
	}
	return turns
}

// change is one changed bit of one column of one event.
type change struct {
	session  string
	seq      int64
	column   string
	from, to []byte
}

func randomChange(t *testing.T, db *sql.DB, chance *rand.Rand) change {
	t.Helper()
	for {
		c := change{column: []string{"session", "seq", "turn", "kind", "at", "body", "body", "hash"}[chance.IntN(8)]}
		query := `SELECT session, seq, CAST(` + c.column + ` AS BLOB) FROM events ORDER BY session, seq LIMIT 1 OFFSET abs($1) % (SELECT count(*) FROM events)`
		if err := db.QueryRowContext(t.Context(), query, chance.Int64()).Scan(&c.session, &c.seq, &c.from); err != nil {
			t.Fatal(err)
		}
		if len(c.from) == 0 { // an event of the session has no turn
			continue
		}
		c.to = append([]byte{}, c.from...)
		place, bit := chance.IntN(len(c.to)), byte(1)<<chance.IntN(8)
		c.to[place] ^= bit
		if c.column != "seq" && c.column != "at" {
			return c
		}
		var number int64
		if _, err := fmt.Sscanf(string(c.to), "%d", &number); err == nil && fmt.Sprint(number) == string(c.to) { // it is still one, in decimal digits
			return c
		}
	}
}

func (c change) apply(db *sql.DB) bool  { return c.set(db, c.from, c.to) }
func (c change) revert(db *sql.DB) bool { return c.set(db, c.to, c.from) }

// set replaces one value by the other. The row is found by the columns that did
// not change.
func (c change) set(db *sql.DB, from, to []byte) bool {
	cast := map[string]string{"seq": "INTEGER", "at": "INTEGER", "hash": "BLOB"}[c.column]
	if cast == "" {
		cast = "TEXT"
	}
	session, seq := any(c.session), any(c.seq)
	switch c.column {
	case "session":
		session = string(from)
	case "seq":
		_, _ = fmt.Sscan(string(from), &c.seq)
		seq = c.seq
	}
	result, err := db.Exec(`UPDATE events SET `+c.column+` = CAST($1 AS `+cast+`) WHERE CAST(session AS BLOB) = CAST($2 AS BLOB) AND seq = $3`, to, session, seq)
	if err != nil {
		return false
	}
	rows, err := result.RowsAffected()
	return err == nil && rows == 1
}

func opened(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
