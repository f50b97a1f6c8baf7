package telegram

import (
	"context"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// tooLate is the reply to a button press that comes too late.
const tooLate = "Already finished."

// takePress handles a button press. Each press gets a reply at once, or as soon
// as its work is done.
func (f *Front) takePress(u wire.Update, p *wire.Press) {
	by, c, ok := f.admit(p.Place, p.From, false)
	if !ok {
		f.answerPress(p.Query, "This bot is private.")
		f.handled(u.ID)
		return
	}
	c.stir()
	kind, data, _ := strings.Cut(p.Data, ":")
	s := incoming{update: u.ID, by: by}
	switch kind {
	case "s":
		c.pressStop(p.Query, bellcord.TurnID(data), s)
	case "q": // the hub may have to contact another node
		f.work.Go(func() {
			f.answerPress(p.Query, c.choose(data, by))
			f.handled(u.ID)
		})
	case "v":
		f.work.Go(func() {
			f.answerPress(p.Query, c.pressField(data, by))
			f.handled(u.ID)
		})
	case "c":
		c.again(p, bellcord.TurnID(data), s, true)
	case "t":
		c.again(p, bellcord.TurnID(data), s, false)
	case "r", "d":
		f.work.Go(func() {
			f.answerPress(p.Query, c.pressHeld(f.life, p.Message, bellcord.TurnID(data), kind == "r", by))
			f.handled(u.ID)
		})
	default:
		f.work.Go(func() {
			f.answerPress(p.Query, c.press(f.life, kind, data))
			f.handled(u.ID)
		})
	}
}

func (f *Front) answerPress(query, text string) {
	f.box.Aside(func(ctx context.Context) error { return f.Bot.Answer(ctx, query, text, false) })
}

// pressStop stops a turn, without a grace period if it is already being stopped.
func (c *chat) pressStop(query string, id bellcord.TurnID, s incoming) {
	c.mu.Lock()
	t := c.turns[id]
	mode := bellcord.StopNow
	if t != nil {
		mode = t.nextStopMode()
	}
	c.mu.Unlock()
	if t == nil {
		c.front.answerPress(query, tooLate)
		c.front.handled(s.update)
		return
	}
	under := c.front.Hub.Stop(bellcord.StopRequest{Turn: id, Owner: c.owner, Cause: c.cause(s.by, ""), Mode: mode})
	words := "Stopping…"
	if mode == bellcord.StopForce {
		words = "Forcing the stop…"
	}
	c.front.answerPress(query, words)
	c.front.work.Go(func() {
		settle(c.front.life, []*hub.Stopping{under})
		c.front.handled(s.update)
	})
}

// again continues a stopped turn or repeats its prompt. It waits in the queue
// like any prompt.
func (c *chat) again(p *wire.Press, id bellcord.TurnID, s incoming, goOn bool) {
	next := c.front.turnOfPress(s.update)
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
			c.front.answerPress(p.Query, "That session is no longer open in this chat.")
			c.accepted(next, false)
			c.front.handled(s.update)
			return
		}
		s.text = before.Prompt.Text
		if goOn {
			if c.past(ctx, before) {
				c.front.answerPress(p.Query, isOver)
				c.removeButtons(p.Message)
				c.accepted(next, false)
				c.front.handled(s.update)
				return
			}
			s.text = "Continue where you were stopped."
		}
		c.front.answerPress(p.Query, "")
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
