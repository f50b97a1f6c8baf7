package chats

import (
	"context"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/store"
)

// tooLate is the reply to a button press that comes too late.
const tooLate = "Already finished."

// Press handles a button press. Each press gets a reply at once, or as soon
// as its work is done.
func (f *Front) Press(p Press) {
	by, c, ok := f.admit(p.Place, p.From, false)
	if !ok {
		f.answerPress(p, "This bot is private.")
		f.Handled(p.Handled)
		return
	}
	c.stir()
	kind, data, _ := strings.Cut(p.Data, ":")
	s := incoming{handled: p.Handled, turn: p.Turn, by: by}
	switch kind {
	case "s":
		c.pressStop(p, bellcord.TurnID(data), s)
	case "q": // the hub may have to contact another node
		f.work.Go(func() {
			f.answerPress(p, c.choose(data, by))
			f.Handled(p.Handled)
		})
	case "v":
		f.work.Go(func() {
			f.answerPress(p, c.pressField(data, by))
			f.Handled(p.Handled)
		})
	case "c":
		c.again(p, bellcord.TurnID(data), s, true)
	case "t":
		c.again(p, bellcord.TurnID(data), s, false)
	case "r", "d":
		f.work.Go(func() {
			f.answerPress(p, c.pressHeld(f.life, p.Message, bellcord.TurnID(data), kind == "r", by))
			f.Handled(p.Handled)
		})
	case "u", "y", "n", "e":
		f.work.Go(func() {
			c.pressUndo(f.life, undoPress{Press: p, kind: kind, by: by}, data)
			f.Handled(p.Handled)
		})
	default:
		f.work.Go(func() {
			f.answerPress(p, c.press(f.life, kind, data))
			f.Handled(p.Handled)
		})
	}
}

func (f *Front) answerPress(p Press, text string) {
	f.box.Aside(func(ctx context.Context) error { return p.Reply(ctx, text) })
}

// pressStop stops a turn, without a grace period if it is already being stopped.
func (ts *shownTurns) pressStop(p Press, id bellcord.TurnID, s incoming) {
	ts.mu.Lock()
	t := ts.turns[id]
	mode := bellcord.StopNow
	if t != nil {
		mode = t.askStop()
	}
	ts.mu.Unlock()
	if t == nil {
		ts.front.answerPress(p, tooLate)
		ts.front.Handled(s.handled)
		return
	}
	under := ts.front.Hub.Stop(bellcord.StopRequest{Turn: id, Owner: ts.owner, Cause: ts.cause(s.by, ""), Mode: mode})
	words := "Stopping…"
	if mode == bellcord.StopForce {
		words = "Forcing the stop…"
	}
	ts.front.answerPress(p, words)
	ts.front.work.Go(func() {
		settle(ts.front.life, []*hub.Stopping{under})
		ts.front.Handled(s.handled)
	})
}

// again continues a stopped turn or repeats its prompt. It waits in the queue
// like any prompt.
func (c *chat) again(p Press, id bellcord.TurnID, s incoming, goOn bool) {
	next := s.turn
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, next)
	c.own[next] = true
	c.enqueue(func(ctx context.Context) {
		before, err := c.front.Hub.Turn(ctx, id)
		if err != nil || before.Session != c.currentSession() {
			c.front.answerPress(p, "That session is no longer open in this chat.")
			c.accepted(next, false)
			c.front.Handled(s.handled)
			return
		}
		s.text = before.Prompt.Text
		if goOn {
			if c.past(ctx, before) {
				c.front.answerPress(p, isOver)
				c.removeButtons(p.Message)
				c.accepted(next, false)
				c.front.Handled(s.handled)
				return
			}
			s.text = "Continue where you were stopped."
		}
		c.front.answerPress(p, "")
		c.removeButtons(p.Message)
		c.accept(ctx, next, s, bellcord.BusyQueue)
	})
}

// press handles all other buttons and returns the reply.
func (c *chat) press(ctx context.Context, kind, data string) string {
	switch kind {
	case "o":
		return c.goTo(ctx, bellcord.SessionID(data))
	case "a":
		return c.chooseAgent(ctx, data)
	case "m":
		return c.chooseModel(ctx, data)
	case "w":
		return c.pressRewind(ctx, bellcord.TurnID(data))
	case "f":
		return c.sendOffer(ctx, data)
	}
	return tooLate
}

// currentSession returns the chat's session, or "" before the first prompt.
func (sh *shared) currentSession() bellcord.SessionID {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	return sh.session
}

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
	if err != nil || stopped.Receipt == nil || c.currentSession() != stopped.Session {
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
func (sh *shared) stillHeld(ctx context.Context, stopped store.TurnRecord) ([]bellcord.TurnID, error) {
	turns, err := sh.front.Hub.UnendedTurns(ctx, stopped.Session)
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
func (fs *finals) heldNoMore(message ID, id bellcord.TurnID, fate string) {
	fs.mu.Lock()
	last := fs.last
	if last == nil || last.turn != id || last.message.message != message {
		fs.mu.Unlock()
		fs.removeButtons(message)
		return
	}
	defer fs.mu.Unlock()
	r := last.receipt
	r.HeldTurns = nil
	last.message.text.Below, last.message.text.Buttons = fs.stoppedLine(r)+" · "+fate, nil
	fs.revised(last.message)
}

// past reports whether a newer turn has started in the session or the
// conversation was cleared. It also returns true if the log cannot be read.
func (sh *shared) past(ctx context.Context, t store.TurnRecord) bool {
	past := false
	err := sh.eachEvent(ctx, t.Session, t.FirstSeq, func(ev bellcord.Event) bool {
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
func (sh *shared) eachEvent(ctx context.Context, session bellcord.SessionID, after int64, visit func(bellcord.Event) bool) error {
	tail, err := sh.front.Hub.Tail(ctx, session)
	if err != nil || tail <= after {
		return err
	}
	log, err := sh.front.Hub.Events(ctx, session, after)
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
