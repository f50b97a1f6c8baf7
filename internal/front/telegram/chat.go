package telegram

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/telegram/markup"
	"github.com/bellcord/bellcord/internal/front/telegram/outbox"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// chat is one conversation on Telegram and what is shown in it.
type chat struct {
	front *Front
	place wire.Place
	owner string // whose sessions it makes

	mu      sync.Mutex
	session bellcord.SessionID // "" before the first prompt
	choice  choice             // what its next session will have
	pending []bellcord.TurnID  // prompts that have come and are not accepted yet
	line    []func(context.Context)
	working bool                             // somebody works on the line
	turns   map[bellcord.TurnID]*turn        // that are shown and have not ended
	ending  map[bellcord.TurnID]*turn        // that have ended and whose last words are on their way
	cleared map[bellcord.TurnID]bool         // pending ones whose answers are not wanted any more
	mine    map[bellcord.TurnID]bool         // prompted here, and not ended
	follows map[bellcord.SessionID]*follower // whose logs are read
	offers  []offer                          // files that can be had by a button
	last    *farewell                        // of the turn whose stop holds prompts
	active  time.Time                        // when something was last said
	news    chan struct{}                    // closed when something has ended, then another
}

// choice is what people chose for the next session.
type choice struct {
	Agent string `json:"agent,omitempty"`
	Model string `json:"model,omitempty"`
}

func newChat(f *Front, p wire.Place, owner string) *chat {
	c := &chat{
		front: f, place: p, owner: owner, active: time.Now(),
		turns: map[bellcord.TurnID]*turn{}, ending: map[bellcord.TurnID]*turn{}, cleared: map[bellcord.TurnID]bool{}, mine: map[bellcord.TurnID]bool{},
		follows: map[bellcord.SessionID]*follower{}, choice: choice{f.Session.Agent, f.Session.Model},
		news: make(chan struct{}),
	}
	if r, known := f.book.find(at(p)); known && r.Owner == owner {
		c.session, c.choice = r.Session, r.Choice
	}
	return c
}

// stir notes that something was said.
func (c *chat) stir() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active = time.Now()
}

// busy reports whether there is something to stop.
func (c *chat) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busyLocked()
}

func (c *chat) busyLocked() bool {
	return len(c.pending) > 0 || len(c.turns) > 0 || len(c.mine) > 0 || c.working
}

// enqueue has something done behind all that was said before. The lock is held.
func (c *chat) enqueue(do func(ctx context.Context)) {
	c.line = append(c.line, do)
	if !c.working {
		c.working = true
		c.front.work.Go(c.workOff)
	}
}

func (c *chat) workOff() {
	for {
		c.mu.Lock()
		if len(c.line) == 0 {
			c.working = false
			c.signalEndLocked()
			c.mu.Unlock()
			return
		}
		do := c.line[0]
		c.line = c.line[1:]
		c.mu.Unlock()
		do(c.front.life)
	}
}

// until returns when something holds, which is asked with the lock held whenever
// something has ended, or when ctx has.
func (c *chat) until(ctx context.Context, holds func() bool) {
	for {
		c.mu.Lock()
		is, news := holds(), c.news
		c.mu.Unlock()
		if is {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}

// signalEndLocked wakes the goroutines that wait for something to end. The
// caller holds the lock.
func (c *chat) signalEndLocked() {
	close(c.news)
	c.news = make(chan struct{})
}

// closeIfIdle ends what goes on in a chat where nothing does since then; it reports
// whether that was so. A chat with a live turn is never left.
func (c *chat) closeIfIdle(since time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busyLocked() || len(c.ending) > 0 || c.active.After(since) {
		return false
	}
	for _, f := range c.follows {
		f.end()
	}
	return true
}

// accepted takes a prompt from those that have not been accepted.
func (c *chat) accepted(id bellcord.TurnID, turn bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = slices.DeleteFunc(c.pending, func(other bellcord.TurnID) bool { return other == id })
	if !turn {
		delete(c.mine, id)
		delete(c.cleared, id)
		c.signalEndLocked()
	}
}

// fromHere says where a stop came from.
const fromHere = "Telegram"

// cause is a stop by somebody in this chat.
func (c *chat) cause(by, why string) bellcord.Cause {
	return bellcord.Cause{Kind: bellcord.CausePerson, By: by, Source: fromHere, Reason: why}
}

// put has something sent that must arrive, in order.
func (c *chat) put(do func(ctx context.Context) error) {
	c.front.box.Put(outbox.Call{Chat: c.place.Chat, Group: c.place.Group, Do: do})
}

// say says something that belongs to no turn, or as much of it as a message holds.
func (c *chat) say(text string, rows ...[]wire.Button) {
	if parts := markup.Split(text, markup.MostUnits); len(parts) > 1 {
		text = parts[0] + "…"
	}
	c.put(func(ctx context.Context) error {
		_, err := c.front.Bot.Send(ctx, wire.Text{Place: c.place, Text: text, Buttons: rows})
		return err
	})
}

// note writes down how the chat stands. The lock is held.
func (c *chat) note() {
	r := record{Place: c.place, Owner: c.owner, Session: c.session, Choice: c.choice}
	for _, f := range c.follows {
		if open := f.open(c.turns, c.ending); len(open) > 0 {
			r.Open = append(r.Open, following{Session: f.session, After: f.after, Turns: open})
		}
	}
	c.front.book.put(r)
}
