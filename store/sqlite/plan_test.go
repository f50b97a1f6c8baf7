package sqlite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Lists of a large store must not read all turns: each list has an index, and a sort
// only where its rows are few.
func TestLists_AnyFilter_UseAnIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for index, list := range map[string]func() error{
		"turns USING INDEX turns_ended": func() error {
			_, err := s.Receipts(t.Context(), store.ReceiptQuery{Limit: 50})
			return err
		},
		"turns USING INDEX turns_of_session": func() error {
			_, err := s.Receipts(t.Context(), store.ReceiptQuery{Session: "s", Limit: 50})
			return err
		},
		"spending USING INDEX spending_of_session (session=?)": func() error {
			_, err := s.Spending(t.Context(), store.SpendingQuery{Session: "s"})
			return err
		},
		"spending USING INDEX spending_of_owner (owner=? AND at>?)": func() error {
			_, err := s.Spending(t.Context(), store.SpendingQuery{Owner: "anna", Since: time.Now()})
			return err
		},
	} {
		s.reads.Clear()
		if err := list(); err != nil {
			t.Fatal(err)
		}
		plan := ""
		s.reads.Range(func(query, _ any) bool {
			plan += s.planOf(t, query.(string))
			return true
		})
		if !strings.Contains(plan, index) {
			t.Errorf("want %s, the plan is\n%s", index, plan)
		}
	}
}

// Every prompt and every stop looks for early stops.
func TestEarlyStops_AnyStatement_UsesAnIndex(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	_, err = s.Commit(t.Context(), []store.Op{
		store.PutSession{Session: bellcord.Session{ID: "s", Owner: "anna"}},
		store.RecordStop{Turn: "t", Owner: "anna", Cause: bellcord.Cause{At: time.Now()}},
		store.AcceptTurn{Session: "s", Turn: "t", At: time.Now()},
	})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for query := range s.stmts {
		if !strings.Contains(query, "FROM intents") {
			continue
		}
		found++
		if plan := s.planOf(t, query); strings.Contains(plan, "SCAN") {
			t.Errorf("%s: the plan is\n%s", query, plan)
		}
	}
	if found < 4 {
		t.Errorf("%d statements, want those that expire, bound, find and delete early stops", found)
	}
}

// planOf returns the steps of a statement.
func (s *Store) planOf(t *testing.T, query string) (plan string) {
	t.Helper()
	args := []any{1, 1, 1, 1, 1, 1, 1, 1}
	for n := range args {
		if !strings.Contains(query, fmt.Sprintf("$%d", n+1)) {
			args = args[:n]
			break
		}
	}
	rows, err := s.readers.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Error(err)
		}
		plan += step + "\n"
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
	return plan
}
