// Command client uses a Bellcord server through package client: it opens a
// session, prompts, follows the events, stops the turn and prints the receipt.
//
//	bellcord serve --model fake/fake &
//	export BELLCORD_TOKEN=$(cat ~/.local/share/bellcord/token)
//	go run . http://127.0.0.1:4500
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: client http://host:port (the token is in BELLCORD_TOKEN)")
	}
	if err := run(context.Background(), os.Args[1], os.Getenv("BELLCORD_TOKEN")); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, server, token string) error {
	c, err := client.New(server, token)
	if err != nil {
		return err
	}
	session, err := c.NewSession(ctx, api.NewSession{Title: "example"})
	if err != nil {
		return err
	}
	// The fake model writes 300 words, slowly. A real model gets a real prompt.
	turn, err := c.Prompt(ctx, session.ID, api.NewTurn{Text: "[slow 300]"})
	if err != nil {
		return err
	}
	stream := c.Events(session.ID, turn.FirstSeq-1)
	defer stream.Close()
	if err := untilText(ctx, stream, 5); err != nil {
		return err
	}
	stopped, err := c.Stop(ctx, turn.ID, api.Stop{Reason: "seen enough"})
	if err != nil {
		return err
	}
	return printReceipt(stopped)
}

// untilText prints the text of an answer and returns after the given number of deltas. Next
// reconnects automatically and skips no event.
func untilText(ctx context.Context, stream *client.Stream, pieces int) error {
	for {
		events, err := stream.Next(ctx)
		if err != nil {
			return err
		}
		for _, ev := range events {
			switch body := ev.Body.(type) {
			case bellcord.TextDelta:
				fmt.Print(body.Text)
				if pieces--; pieces == 0 {
					fmt.Println()
					return nil
				}
			case bellcord.TurnEnded:
				return errors.New("the turn ended by itself: " + string(body.Receipt.End))
			}
		}
	}
}

func printReceipt(stopped api.Stopped) error {
	if len(stopped.Turns) == 0 || stopped.Turns[0].Receipt == nil {
		return fmt.Errorf("the turn is still %s", stopped.State)
	}
	r := stopped.Turns[0].Receipt
	fmt.Printf("%s by %s (%s), %d bytes kept, %d processes left\n",
		r.End, r.Cause.By, r.Cause.Reason, r.Kept.TextBytes, len(r.Processes.Survivors))
	return nil
}
