package telegram

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// isOver answers a press on a button of a turn that others have followed.
const isOver = "This button no longer applies."

// farewell is the message that tells how a turn was stopped, while prompts wait
// that the stop holds.
type farewell struct {
	turn    bellcord.TurnID
	message int
	part    string // the last words of the answer
	receipt bellcord.Receipt
}

// pressHeld sends or discards the prompts that the stop of a turn holds, and no
// other; it returns what the person is told.
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
		c.front.Hub.Release(stopped.Session)
	} else {
		var under []*hub.Stopping
		for _, waits := range held {
			under = append(under, c.front.Hub.Stop(bellcord.StopRequest{Turn: waits, Owner: c.owner, Cause: c.cause(by, "discarded"), Queue: bellcord.QueueDrop}))
		}
		settle(ctx, under)
		words, fate = plural(len(held), "message")+" discarded.", "discarded"
	}
	c.heldNoMore(message, id, plural(len(held), "message")+" "+fate)
	return words
}

// stillHeld returns the prompts that a stopped turn's stop held and that still
// wait.
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

// heldNoMore removes the buttons of a message and, where its words are known,
// says what became of the prompts that waited.
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

// removeButtons removes the buttons of a message.
func (c *chat) removeButtons(message int) {
	c.put(func(ctx context.Context) error { return c.front.Bot.Buttons(ctx, c.place, message, nil) })
}

// past reports whether a turn is not the last of its conversation any more:
// another one has started since, or the conversation was cleared.
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

// parted keeps the message that has the buttons for prompts that wait.
func (c *chat) parted(t *turn, message int, part string, rows [][]wire.Button) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(t.receipt.HeldTurns) > 0 && len(rows) > 0 {
		c.last = &farewell{turn: t.id, message: message, part: part, receipt: t.receipt}
	}
}
