package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
	"github.com/bellcord/bellcord/store/storecheck"
)

// exampleStore returns a store with one session, in which a turn waits.
func exampleStore(ctx context.Context) (s *sqlite.Store, session bellcord.SessionID, done func()) {
	dir, err := os.MkdirTemp("", "bellcord")
	if err != nil {
		panic(err)
	}
	if s, err = sqlite.Open(ctx, dir); err != nil {
		panic(err)
	}
	session = bellcord.NewSessionID()
	_, err = s.Commit(ctx, []store.Op{
		store.PutSession{Session: bellcord.Session{ID: session, Dir: dir, Title: "example"}},
		store.AcceptTurn{Session: session, Turn: bellcord.NewTurnID(), Prompt: bellcord.Prompt{Text: "hello"}, At: time.Now()},
	})
	if err != nil {
		panic(err)
	}
	return s, session, func() { _ = errors.Join(s.Close(), os.RemoveAll(dir)) }
}

// Each op of a commit has its own result: one that is rejected does not affect the
// others.
func ExampleStore_Commit() {
	ctx := context.Background()
	s, session, done := exampleStore(ctx)
	defer done()
	results, err := s.Commit(ctx, []store.Op{
		store.ClaimTurn{Session: session, Turn: bellcord.NewTurnID(), At: time.Now()},
		store.AppendEvents{Session: session, Bodies: []bellcord.Body{bellcord.ConversationCleared{}}, At: time.Now()},
	})
	if err != nil {
		panic(err)
	}
	for _, r := range results {
		fmt.Println(r.Err)
	}
	// Output:
	// the turn has ended or belongs to another process
	// <nil>
}

// store.EachEvent reads the log of a session in order, in parts.
func Example_eachEvent() {
	ctx := context.Background()
	s, session, done := exampleStore(ctx)
	defer done()
	err := store.EachEvent(ctx, s, session, 0, func(ev bellcord.Event) (more bool) {
		fmt.Println(ev.Seq, ev.Body.Kind())
		return true
	})
	if err != nil {
		panic(err)
	}
	// Output: 1 turn_accepted
}

// The check reads the whole store and verifies the hashes of its events.
func Example_check() {
	ctx := context.Background()
	s, _, done := exampleStore(ctx)
	defer done()
	report, err := storecheck.Run(ctx, s)
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Sessions, "session,", len(report.Problems), "problems")
	// Output: 1 session, 0 problems
}
