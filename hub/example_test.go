package hub_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store/sqlite"
)

// echo is an agent that repeats the prompt.
type echo struct{}

func (echo) Run(_ context.Context, work *hub.Work) error {
	return work.Emit(bellcord.TextDelta{Text: "You said: " + work.Prompt.Text})
}

// worker is an agent that emits one sentence and then works until it is stopped.
type worker struct{ started chan struct{} }

func (w worker) Run(ctx context.Context, work *hub.Work) error {
	if err := work.Emit(bellcord.TextDelta{Text: "I am working on it."}); err != nil {
		return err
	}
	close(w.started)
	<-ctx.Done()
	return context.Cause(ctx)
}

// openHub opens a hub on a new SQLite store, with one session. Calling done
// closes both and deletes the store.
func openHub(ctx context.Context, agent hub.Agent) (h *hub.Hub, session bellcord.SessionID, done func()) {
	dir, err := os.MkdirTemp("", "bellcord")
	if err != nil {
		panic(err)
	}
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		panic(err)
	}
	if h, err = hub.Open(ctx, store, agent, hub.Options{}); err != nil {
		panic(err)
	}
	s, err := h.NewSession(ctx, bellcord.Session{Dir: dir, Title: "example"})
	if err != nil {
		panic(err)
	}
	return h, s.ID, func() {
		h.Close(ctx)
		store.Close()
		os.RemoveAll(dir)
	}
}

// Open a hub on a store with your own agent. Close the hub before the store: it
// stops running turns and records their ends.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "bellcord")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store, err := sqlite.Open(ctx, dir)
	if err != nil {
		panic(err)
	}
	defer store.Close()
	h, err := hub.Open(ctx, store, echo{}, hub.Options{Grace: 2 * time.Second})
	if err != nil {
		panic(err)
	}
	defer h.Close(ctx)
	session, err := h.NewSession(ctx, bellcord.Session{Dir: dir, Title: "first"})
	if err != nil {
		panic(err)
	}
	fmt.Println(session.Title, h.IsIdle(session.ID))
	// Output: first true
}

// Prompt returns immediately. Settled is closed when the end of the turn is
// durable.
func ExampleHub_Prompt() {
	ctx := context.Background()
	h, session, done := openHub(ctx, echo{})
	defer done()

	turn, err := h.Prompt(session, bellcord.Prompt{Text: "hello"})
	if err != nil {
		panic(err)
	}
	<-turn.Settled()
	answer, err := h.TurnAnswer(ctx, turn.ID)
	if err != nil {
		panic(err)
	}
	fmt.Println(turn.Receipt().End)
	fmt.Println(answer.Text)
	// Output:
	// done
	// You said: hello
}

// Stop cancels the context of the turn immediately. Wait returns when the turn
// has ended; the receipt lists what was kept.
func ExampleHub_Stop() {
	ctx := context.Background()
	agent := worker{started: make(chan struct{})}
	h, session, done := openHub(ctx, agent)
	defer done()

	turn, err := h.Prompt(session, bellcord.Prompt{Text: "work"})
	if err != nil {
		panic(err)
	}
	<-agent.started
	cause := bellcord.Cause{Kind: bellcord.CausePerson, By: "anna", Reason: "wrong branch"}
	answers, err := h.Stop(bellcord.StopTurn(turn.ID, cause)).Wait(ctx)
	if err != nil {
		panic(err)
	}
	r := answers[0].Receipt
	fmt.Printf("%s by %s: %s\n", r.End, r.Cause.By, r.Cause.Reason)
	fmt.Printf("%d bytes kept\n", r.Kept.TextBytes)
	// Output:
	// stopped by anna: wrong branch
	// 19 bytes kept
}

// Follow a session from its first event. Next blocks until there are more events.
// Events are durable, in order and without gaps.
func ExampleHub_Events() {
	ctx := context.Background()
	h, session, done := openHub(ctx, echo{})
	defer done()

	cursor, err := h.Events(ctx, session, 0)
	if err != nil {
		panic(err)
	}
	defer cursor.Close()
	if _, err := h.Prompt(session, bellcord.Prompt{Text: "hello"}); err != nil {
		panic(err)
	}
	for ended := false; !ended; {
		events, err := cursor.Next(ctx)
		if err != nil {
			panic(err)
		}
		for _, ev := range events {
			switch body := ev.Body.(type) {
			case bellcord.TurnAccepted:
				fmt.Println(ev.Seq, "accepted:", body.Text)
			case bellcord.TurnStarted:
				fmt.Println(ev.Seq, "started")
			case bellcord.TextDelta:
				fmt.Println(ev.Seq, "text:", body.Text)
			case bellcord.TurnEnded:
				fmt.Println(ev.Seq, "ended:", body.Receipt.End)
				ended = true
			}
		}
	}
	// Output:
	// 1 accepted: hello
	// 2 started
	// 3 text: You said: hello
	// 4 ended: done
}
