package telegram

import (
	"context"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// tooLate answers a press on something that is over.
const tooLate = "Already finished."

// takePress is a button's. The person is answered at once.
func (f *Front) takePress(u wire.Update, p *wire.Press) {
	by, c, ok := f.admit(p.Place, p.From, false)
	if !ok {
		f.tell(p.Query, "This bot is private.")
		f.handled(u.ID)
		return
	}
	c.stir()
	kind, data, _ := strings.Cut(p.Data, ":")
	s := said{update: u.ID, by: by}
	switch kind {
	case "s":
		c.pressStop(p.Query, bellcord.TurnID(data), s)
	case "q": // the hub may have to ask another node
		f.work.Go(func() {
			f.tell(p.Query, c.choose(data, by))
			f.handled(u.ID)
		})
	case "c":
		c.again(p, bellcord.TurnID(data), s, true)
	case "t":
		c.again(p, bellcord.TurnID(data), s, false)
	default:
		f.work.Go(func() {
			f.tell(p.Query, c.press(f.life, kind, data, by))
			f.handled(u.ID)
		})
	}
}

// tell answers a press.
func (f *Front) tell(query, text string) {
	f.box.Aside(func(ctx context.Context) error { return f.Bot.Answer(ctx, query, text, false) })
}

// pressStop stops a turn: at the second press without any grace.
func (c *chat) pressStop(query string, id bellcord.TurnID, s said) {
	c.mu.Lock()
	t := c.turns[id]
	mode := bellcord.Now
	if t != nil {
		mode = t.tell()
	}
	c.mu.Unlock()
	if t == nil {
		c.front.tell(query, tooLate)
		c.front.handled(s.update)
		return
	}
	under := c.front.Hub.Stop(bellcord.StopRequest{Turn: id, Owner: c.owner, Cause: c.cause(s.by, ""), Mode: mode})
	words := "Stopping…"
	if mode == bellcord.Force {
		words = "Forcing it…"
	}
	c.front.tell(query, words)
	c.front.work.Go(func() {
		settle(c.front.life, []*bellcord.Stopping{under})
		c.front.handled(s.update)
	})
}

// again goes on with a stopped turn, or asks the same once more. It waits its
// turn like any prompt.
func (c *chat) again(p *wire.Press, id bellcord.TurnID, s said, goOn bool) {
	next := turnID(c.front.self.ID, s.update)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = append(c.pending, next)
	c.mine[next] = true
	c.enqueue(func(ctx context.Context) {
		before, err := c.front.Hub.Turn(ctx, id)
		c.mu.Lock()
		ours := err == nil && before.Session == c.session
		c.mu.Unlock()
		if !ours {
			c.front.tell(p.Query, "That conversation is not open here any more.")
			c.accepted(next, false)
			c.front.handled(s.update)
			return
		}
		s.text = before.Prompt.Text
		if goOn {
			s.text = "Go on where you were stopped."
		}
		c.front.tell(p.Query, "")
		c.put(func(ctx context.Context) error { return c.front.Bot.Buttons(ctx, c.place, p.Message, nil) })
		c.accept(ctx, next, s, bellcord.Queue)
	})
}

// press is every other button's; it returns what the person is told.
func (c *chat) press(ctx context.Context, kind, data, by string) string {
	switch kind {
	case "r":
		if !c.has(bellcord.SessionID(data)) {
			return tooLate
		}
		c.front.Hub.Release(bellcord.SessionID(data))
		return "Sent."
	case "d":
		if !c.has(bellcord.SessionID(data)) {
			return tooLate
		}
		return c.discard(ctx, by)
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

// has reports whether a session is the chat's.
func (c *chat) has(id bellcord.SessionID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session == id
}

// discard stops what waits in the chat, and nothing that runs.
func (c *chat) discard(ctx context.Context, by string) string {
	c.mu.Lock()
	var waiting []bellcord.TurnID
	for id, t := range c.turns {
		if t.session == c.session && !t.running {
			waiting = append(waiting, id)
		}
	}
	c.mu.Unlock()
	var under []*bellcord.Stopping
	for _, id := range waiting {
		cause := c.cause(by, "discarded")
		under = append(under, c.front.Hub.Stop(bellcord.StopRequest{Turn: id, Owner: c.owner, Cause: cause, Queue: bellcord.Drop}))
	}
	settle(ctx, under)
	return count(len(waiting), "message") + " discarded."
}
