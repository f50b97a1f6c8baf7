package main

import (
	"context"
	"log"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store/sqlite"
)

func talk(ctx context.Context, work *hub.Work) (err error) {
	for err == nil && ctx.Err() == nil { // ctx ends when the turn is stopped
		err = work.Emit(bellcord.TextDelta{Text: "word "})
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	ctx := context.Background()
	store := must(sqlite.Open(ctx, "data"))
	defer store.Close()
	h := must(hub.Open(ctx, store, hub.AgentFunc(talk), hub.Options{}))
	defer h.Close(ctx)
	session := must(h.NewSession(ctx, bellcord.Session{Title: "embedded"}))
	turn := must(h.Prompt(session.ID, bellcord.Prompt{Text: "talk"}))
	time.Sleep(time.Second)
	stopped := must(h.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{Kind: bellcord.CausePerson, By: "anna"})).Wait(ctx))
	log.Printf("%s by %s, %d bytes kept", stopped[0].Receipt.End, stopped[0].Receipt.Cause.By, stopped[0].Receipt.Kept.TextBytes)
}
