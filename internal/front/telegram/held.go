package telegram

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
	"github.com/bellcord/bellcord/internal/plural"
)

// isOver is the reply to a button press that no longer applies, for example
// because a newer turn has started.
const isOver = "This button no longer applies."

// farewell is the final message of a stopped turn, kept while the stop holds
// prompts.
type farewell struct {
	turn    bellcord.TurnID
	message int
	part    string // the last part of the answer
	receipt bellcord.Receipt
}

// pressHeld handles the buttons for prompts held by the stop of turn id, and
// returns the reply to the press. It releases or discards those of these prompts
// that still wait. Prompts that only another stop holds are not affected.
func (c *chat) pressHeld(ctx context.Context, message int, id bellcord.TurnID, send bool, by string) string {
	stopped, err := c.front.Hub.Turn(ctx, id)
	if err != nil || stopped.Receipt == nil || !c.has(stopped.Session) {
		return isOver
	}
	held, err := c.stillHeld(ctx, stopped)
	if err != nil {
		return c.apology(err.Error())
	}
	if len(held) == 0 {
		c.removeButtons(message)
		return isOver
	}
	words, fate := "Sent.", "sent"
	if send {
		c.front.Hub.Release(stopped.Session, held...)
	} else {
		var under []*hub.Stopping
		for _, waits := range held {
			under = append(under, c.front.Hub.Stop(bellcord.StopRequest{Turn: waits, Owner: c.owner, Cause: c.cause(by, "discarded"), Queue: bellcord.QueueDrop}))
		}
		settle(ctx, under)
		words, fate = plural.Count(len(held), "message")+" discarded.", "discarded"
	}
	c.heldNoMore(message, id, plural.Count(len(held), "message")+" "+fate)
	return words
}

// stillHeld returns the prompts that were held by the turn's stop and are still
// waiting.
func (c *chat) stillHeld(ctx context.Context, stopped bellcord.TurnRecord) ([]bellcord.TurnID, error) {
	turns, err := c.front.Hub.UnendedTurns(ctx, stopped.Session)
	if err != nil {
		return nil, err
	}
	waits := map[bellcord.TurnID]bool{}
	for _, t := range turns {
		waits[t.ID] = t.State != bellcord.StateRunning
	}
	var held []bellcord.TurnID
	for _, id := range stopped.Receipt.HeldTurns {
		if waits[id] {
			held = append(held, id)
		}
	}
	return held, nil
}

// heldNoMore removes a message's buttons. If the message is the last farewell,
// it also adds what happened to the held prompts.
func (c *chat) heldNoMore(message int, id bellcord.TurnID, fate string) {
	c.mu.Lock()
	last := c.last
	c.mu.Unlock()
	if last == nil || last.turn != id || last.message != message {
		c.removeButtons(message)
		return
	}
	r := last.receipt
	r.HeldTurns = nil
	below := c.stoppedLine(r) + " · " + fate
	c.put(func(ctx context.Context) error {
		return c.dressed(last.part, below, nil, func(m wire.Text) error { return c.front.Bot.Edit(ctx, message, m) })
	})
}

func (c *chat) removeButtons(message int) {
	c.put(func(ctx context.Context) error { return c.front.Bot.Buttons(ctx, c.place, message, nil) })
}

// past reports whether a newer turn has started in the session or the
// conversation was cleared. It also returns true if the log cannot be read.
func (c *chat) past(ctx context.Context, t bellcord.TurnRecord) bool {
	tail, err := c.front.Hub.Tail(ctx, t.Session)
	if err != nil || tail <= t.FirstSeq {
		return err != nil
	}
	log, err := c.front.Hub.Events(ctx, t.Session, t.FirstSeq)
	if err != nil {
		return true
	}
	defer log.Close()
	for {
		events, err := log.Next(ctx)
		if err != nil {
			return true
		}
		for _, ev := range events {
			switch ev.Body.(type) {
			case bellcord.ConversationCleared:
				return true
			case bellcord.TurnStarted:
				if ev.Turn != t.ID {
					return true
				}
			}
			if ev.Seq >= tail {
				return false
			}
		}
	}
}

// parted stores the message that has the buttons for held prompts.
func (c *chat) parted(t *turn, message int, part string, rows [][]wire.Button) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(t.receipt.HeldTurns) > 0 && len(rows) > 0 {
		c.last = &farewell{turn: t.id, message: message, part: part, receipt: t.receipt}
	}
}
