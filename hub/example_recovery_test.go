package hub_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/sqlite"
)

// crash leaves in dir the state of a process that died during a turn: a running
// turn with some durable text and no end. It commits the same ops as a hub and
// closes the store, which releases its lock like the death of a process.
func crash(ctx context.Context, dir string) bellcord.TurnID {
	dying, err := sqlite.Open(ctx, dir)
	if err != nil {
		panic(err)
	}
	now := time.Now()
	session, turn := bellcord.NewSessionID(), bellcord.NewTurnID()
	results, err := dying.Commit(ctx, []store.Op{
		store.PutSession{Session: bellcord.Session{ID: session, Dir: dir, Created: now, Updated: now}},
		store.AcceptTurn{Session: session, Turn: turn, Prompt: bellcord.Prompt{Text: "work"}, At: now},
		store.ClaimTurn{Session: session, Turn: turn, At: now},
	})
	if err != nil {
		panic(err)
	}
	text := []bellcord.Body{bellcord.TextDelta{Text: "I am working on it."}}
	_, err = dying.Commit(ctx, []store.Op{
		store.AppendEvents{Session: session, Turn: turn, Fence: results[2].Fence, N: 1, Bodies: text, At: now},
	})
	if err != nil {
		panic(err)
	}
	if err := dying.Close(); err != nil {
		panic(err)
	}
	return turn
}

// A hub takes over the turns of dead processes when it opens, and then once per
// second. Such a turn ends as lost, or as stopped if a stop was recorded. Durable
// events are kept, and the session can continue.
func ExampleOpen_recovery() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "bellcord")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	lost := crash(ctx, dir)

	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		panic(err)
	}
	defer store.Close()
	h, err := hub.Open(ctx, store, echo{}, hub.Options{})
	if err != nil {
		panic(err)
	}
	defer h.Close(ctx)

	turn, err := h.Turn(ctx, lost)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s, %d bytes kept\n", turn.Receipt.End, turn.Receipt.Kept.TextBytes)
	if _, err := h.OpenSession(ctx, turn.Session); err != nil {
		panic(err)
	}
	next, err := h.Prompt(turn.Session, bellcord.Prompt{Text: "go on"})
	if err != nil {
		panic(err)
	}
	<-next.Settled()
	fmt.Println("next turn:", next.Receipt().End)
	// Output:
	// lost, 19 bytes kept
	// next turn: done
}
