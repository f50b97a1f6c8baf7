package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
)

// Number of running turns, and how many of them append in one commit.
const streamingTurns, appendsEach = 2000, 256

// BenchmarkCommit measures one commit of a server with many streaming turns: an
// append of one event for each of 256 turns, with 2,000 turns running.
func BenchmarkCommit(b *testing.B, store bellcord.Store) {
	commit := func(ops ...bellcord.Op) []bellcord.Result {
		results, err := store.Commit(b.Context(), ops)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range results {
			if r.Err != nil {
				b.Fatal(r.Err)
			}
		}
		return results
	}
	appends := make([]bellcord.AppendEvents, streamingTurns)
	for i := range appends {
		session, turn, at := bellcord.NewSessionID(), bellcord.NewTurnID(), time.Now()
		results := commit(
			bellcord.PutSession{Session: bellcord.Session{ID: session, Created: at, Updated: at}},
			bellcord.AcceptTurn{Session: session, Turn: turn, Prompt: bellcord.Prompt{Text: "go"}, At: at},
			bellcord.ClaimTurn{Session: session, Turn: turn, At: at})
		appends[i] = bellcord.AppendEvents{Session: session, Turn: turn, Fence: results[2].Fence}
	}
	n := 0
	for b.Loop() {
		ops := make([]bellcord.Op, appendsEach)
		for i := range ops {
			a := &appends[n%streamingTurns]
			n++
			a.N++
			a.At, a.Bodies = time.Now(), []bellcord.Body{bellcord.TextDelta{Text: fmt.Sprint("word", n, " ")}}
			ops[i] = *a
		}
		commit(ops...)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*appendsEach), "µs/append")
}
