package sqlite_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/store/sqlite"
)

// BenchmarkCommit is one commit of a server on which many turns stream: an
// append with one event for each of 256 turns, of 2,000 that run.
func BenchmarkCommit(b *testing.B) {
	const turns, each = 2000, 256
	s, err := sqlite.Open(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	appends := make([]bellcord.AppendEvents, turns)
	for i := range appends {
		session, turn, at := bellcord.NewSessionID(), bellcord.NewTurnID(), time.Now()
		results, err := s.Commit(b.Context(), []bellcord.Op{
			bellcord.PutSession{Session: bellcord.Session{ID: session, Created: at, Updated: at}},
			bellcord.AcceptTurn{Session: session, Turn: turn, Prompt: bellcord.Prompt{Text: "go"}, At: at},
			bellcord.ClaimTurn{Session: session, Turn: turn, At: at},
		})
		if err != nil {
			b.Fatal(err)
		}
		appends[i] = bellcord.AppendEvents{Session: session, Turn: turn, Fence: results[2].Fence}
	}
	n := 0
	for b.Loop() {
		ops := make([]bellcord.Op, each)
		for i := range ops {
			a := &appends[n%turns]
			n++
			a.N++
			a.At, a.Bodies = time.Now(), []bellcord.Body{bellcord.Said{Text: fmt.Sprint("word", n, " ")}}
			ops[i] = *a
		}
		results, err := s.Commit(b.Context(), ops)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range results {
			if r.Err != nil {
				b.Fatal(r.Err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*each), "µs/append")
}
