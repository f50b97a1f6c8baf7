package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
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
			_, err := s.Receipts(t.Context(), bellcord.ReceiptQuery{Limit: 50})
			return err
		},
		"turns USING INDEX turns_of_session": func() error {
			_, err := s.Receipts(t.Context(), bellcord.ReceiptQuery{Session: "s", Limit: 50})
			return err
		},
		"spending USING INDEX spending_of_session (session=?)": func() error {
			_, err := s.Spending(t.Context(), bellcord.SpendingQuery{Session: "s"})
			return err
		},
		"spending USING INDEX spending_of_owner (owner=? AND at>?)": func() error {
			_, err := s.Spending(t.Context(), bellcord.SpendingQuery{Owner: "anna", Since: time.Now()})
			return err
		},
	} {
		s.reads.Clear()
		if err := list(); err != nil {
			t.Fatal(err)
		}
		plan := ""
		s.reads.Range(func(query, _ any) bool {
			rows, err := s.readers.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query.(string), 1, 1, 1, 1)
			if err != nil {
				t.Error(err)
				return false
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
			return true
		})
		if !strings.Contains(plan, index) {
			t.Errorf("want %s, the plan is\n%s", index, plan)
		}
	}
}
