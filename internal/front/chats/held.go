package chats

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/store"
)

// isOver is the reply to a button press that no longer applies, for example
// because a newer turn has started.
const isOver = "This button no longer applies."

// farewell is the final message of a stopped turn, kept while the stop holds
// prompts.
type farewell struct {
	turn    bellcord.TurnID
	message *final
	receipt bellcord.Receipt
}

// pressHeld handles the buttons for prompts held by the stop of turn id, and
// returns the reply to the press. It releases or discards those of these prompts
// that still wait. Prompts that only another stop holds are not affected.
func (c *chat) pressHeld(ctx context.Context, message ID, id bellcord.TurnID, send bool, by string) string {
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
func (c *chat) stillHeld(ctx context.Context, stopped store.TurnRecord) ([]bellcord.TurnID, error) {
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
func (c *chat) heldNoMore(message ID, id bellcord.TurnID, fate string) {
	c.mu.Lock()
	last := c.last
	if last == nil || last.turn != id || last.message.message != message {
		c.mu.Unlock()
		c.removeButtons(message)
		return
	}
	defer c.mu.Unlock()
	r := last.receipt
	r.HeldTurns = nil
	last.message.text.Below, last.message.text.Buttons = c.stoppedLine(r)+" · "+fate, nil
	c.revised(last.message)
}

// past reports whether a newer turn has started in the session or the
// conversation was cleared. It also returns true if the log cannot be read.
func (c *chat) past(ctx context.Context, t store.TurnRecord) bool {
	past := false
	err := c.eachEvent(ctx, t.Session, t.FirstSeq, func(ev bellcord.Event) bool {
		switch ev.Body.(type) {
		case bellcord.ConversationCleared:
			past = true
		case bellcord.TurnStarted:
			past = ev.Turn != t.ID
		}
		return !past
	})
	return past || err != nil
}

// eachEvent calls visit for the events of a session after the given one, as long as
// it returns true.
func (c *chat) eachEvent(ctx context.Context, session bellcord.SessionID, after int64, visit func(bellcord.Event) bool) error {
	tail, err := c.front.Hub.Tail(ctx, session)
	if err != nil || tail <= after {
		return err
	}
	log, err := c.front.Hub.Events(ctx, session, after)
	if err != nil {
		return err
	}
	defer log.Close()
	for {
		events, err := log.Next(ctx)
		if err != nil {
			return err
		}
		for _, ev := range events {
			if !visit(ev) || ev.Seq >= tail {
				return nil
			}
		}
	}
}
