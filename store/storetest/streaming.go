package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Number of running turns, and how many of them append in one commit.
const streamingTurns, appendsEach = 2000, 256

// BenchmarkCommit measures one commit of a server with many streaming turns: an
// append of one event for each of 256 turns, with 2,000 turns running.
func BenchmarkCommit(b *testing.B, kept store.Store) {
	commit := func(ops ...store.Op) []store.Result {
		results, err := kept.Commit(b.Context(), ops)
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
	appends := make([]store.AppendEvents, streamingTurns)
	for i := range appends {
		session, turn, at := bellcord.NewSessionID(), bellcord.NewTurnID(), time.Now()
		results := commit(
			store.PutSession{Session: bellcord.Session{ID: session, Created: at, Updated: at}},
			store.AcceptTurn{Session: session, Turn: turn, Prompt: bellcord.Prompt{Text: "go"}, At: at},
			store.ClaimTurn{Session: session, Turn: turn, At: at})
		appends[i] = store.AppendEvents{Session: session, Turn: turn, Fence: results[2].Fence}
	}
	n := 0
	for b.Loop() {
		ops := make([]store.Op, appendsEach)
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
