package postgres_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store/postgres"
	"github.com/bellcord/bellcord/store/storetest"
)

// Rows of storetest.BenchmarkCommit.
const turns, each = 2000, 256

func BenchmarkCommit(b *testing.B) {
	storetest.BenchmarkCommit(b, openWith(b, place(b), postgres.Options{}))
}

// BenchmarkCopy writes the same rows without any guarantee, with a plain COPY.
func BenchmarkCopy(b *testing.B) {
	home := place(b)
	openWith(b, home, postgres.Options{}) // creates the tables
	sessions := make([]bellcord.SessionID, turns)
	for i := range sessions {
		sessions[i] = bellcord.NewSessionID()
	}
	at(b, home, func(db *pgx.Conn) {
		n := 0
		for b.Loop() {
			rows := make([][]any, each)
			for i := range rows {
				body, err := json.Marshal(bellcord.TextDelta{Text: fmt.Sprint("word", n, " ")})
				if err != nil {
					b.Fatal(err)
				}
				rows[i] = []any{string(sessions[n%turns]), int64(n/turns + 1), string(sessions[n%turns]), "text_delta", time.Now().UnixNano(), body, make([]byte, 32)}
				n++
			}
			if _, err := db.CopyFrom(b.Context(), pgx.Identifier{"events"}, []string{"session", "seq", "turn", "kind", "at", "body", "hash"}, pgx.CopyFromRows(rows)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*each), "µs/append")
}

// BenchmarkStart measures the commit of a single prompt and of its start.
func BenchmarkStart(b *testing.B) {
	s := openWith(b, place(b), postgres.Options{})
	for b.Loop() {
		a := accept(session(b, s))
		ok(b, s, a)
		ok(b, s, claim(a))
	}
}
