package chats

import (
	"context"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
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
func (c *chat) pressStop(p Press, id bellcord.TurnID, s incoming) {
	c.mu.Lock()
	t := c.turns[id]
	mode := bellcord.StopNow
	if t != nil {
		mode = t.nextStopMode()
	}
	c.mu.Unlock()
	if t == nil {
		c.front.answerPress(p, tooLate)
		c.front.Handled(s.handled)
		return
	}
	under := c.front.Hub.Stop(bellcord.StopRequest{Turn: id, Owner: c.owner, Cause: c.cause(s.by, ""), Mode: mode})
	words := "Stopping…"
	if mode == bellcord.StopForce {
		words = "Forcing the stop…"
	}
	c.front.answerPress(p, words)
	c.front.work.Go(func() {
		settle(c.front.life, []*hub.Stopping{under})
		c.front.Handled(s.handled)
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
		c.mu.Lock()
		same := err == nil && before.Session == c.session
		c.mu.Unlock()
		if !same {
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

// has reports whether the chat is in session id.
func (c *chat) has(id bellcord.SessionID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session == id
}
