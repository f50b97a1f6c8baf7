package chats

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chats/outbox"
)

// chat is a conversation on a platform and its display.
type chat struct {
	front *Front
	place Place
	owner string // owner of its sessions

	mu      sync.Mutex
	session bellcord.SessionID // "" before the first prompt
	choice  choice             // settings of its next session
	pending []bellcord.TurnID  // prompts that are not accepted yet
	line    []func(context.Context)
	working bool                             // workOff is running
	turns   map[bellcord.TurnID]*turn        // shown and not ended
	ending  map[bellcord.TurnID]*turn        // ended, but not yet sent completely
	cleared map[bellcord.TurnID]bool         // pending turns that must not be shown, because the chat was cleared
	own     map[bellcord.TurnID]bool         // prompted here, and not ended
	follows map[bellcord.SessionID]*follower // logs being read
	offers  []offer                          // files that a button can send
	last    *farewell                        // the last stopped turn with held prompts
	finals  []*final                         // the last messages of the newest turns
	active  time.Time                        // time of the last activity
	changed chan struct{}                    // closed and replaced whenever something ends
}

// choice contains the user's choices for the next session.
type choice struct {
	Agent string `json:"agent,omitempty"`
	Model string `json:"model,omitempty"`
}

func newChat(f *Front, p Place, owner string) *chat {
	c := &chat{
		front: f, place: p, owner: owner, active: time.Now(),
		turns: map[bellcord.TurnID]*turn{}, ending: map[bellcord.TurnID]*turn{}, cleared: map[bellcord.TurnID]bool{}, own: map[bellcord.TurnID]bool{},
		follows: map[bellcord.SessionID]*follower{}, choice: choice{f.Session.Agent, f.Session.Model},
		changed: make(chan struct{}),
	}
	if r, known := f.book.find(at(p)); known && r.Owner == owner {
		c.session, c.choice = r.Session, r.Choice
		for _, b := range r.Undo {
			c.finals = append(c.finals, &final{session: b.Session, turn: b.Turn, message: b.Message, needed: true, undo: undoLabel(0)})
		}
	}
	return c
}

// stir updates the time of the last activity.
func (c *chat) stir() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active = time.Now()
}

// busy reports whether the chat has queued work, a pending prompt or an active
// turn.
func (c *chat) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busyLocked()
}

func (c *chat) busyLocked() bool {
	return len(c.pending) > 0 || len(c.turns) > 0 || len(c.own) > 0 || c.working
}

// enqueue adds work to the chat's queue, which runs one function at a time in
// order. The caller holds the lock.
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

// until returns when holds returns true or ctx ends. It calls holds with the
// lock held, first at once and then whenever something has ended.
func (c *chat) until(ctx context.Context, holds func() bool) {
	for {
		c.mu.Lock()
		is, changed := holds(), c.changed
		c.mu.Unlock()
		if is {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// signalEndLocked wakes the callers of until. The caller holds the lock.
func (c *chat) signalEndLocked() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// closeIfIdle stops reading the chat's logs if it has been idle since the given
// time, and reports whether it was. A chat with an active turn is never idle.
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

// accepted removes a prompt from the pending ones. turn reports whether it
// became a turn.
func (c *chat) accepted(id bellcord.TurnID, turn bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending = slices.DeleteFunc(c.pending, func(other bellcord.TurnID) bool { return other == id })
	if !turn {
		delete(c.own, id)
		delete(c.cleared, id)
		c.signalEndLocked()
	}
}

// cause returns the cause of a stop by a person in this chat.
func (c *chat) cause(by, why string) bellcord.Cause {
	return bellcord.Cause{Kind: bellcord.CausePerson, By: by, Source: c.front.Platform, Reason: why}
}

// put queues a call that must arrive, in order.
func (c *chat) put(do func(ctx context.Context) error) {
	c.front.box.Put(outbox.Call{Chat: string(c.place.Chat), Group: c.place.Group, Do: do})
}

// sendText sends a text that belongs to no turn. A text that does not fit into a
// message is cut.
func (c *chat) sendText(text string, rows ...[]Button) {
	if parts := Split(text, c.front.Limits.part()); len(parts) > 1 {
		text = parts[0] + "…"
	}
	c.put(func(ctx context.Context) error {
		_, err := c.front.Messages.Send(ctx, Text{Place: c.place, Text: text, Buttons: rows})
		return err
	})
}

// note stores the state of the chat. The caller holds the lock.
func (c *chat) note() {
	r := record{Place: c.place, Owner: c.owner, Session: c.session, Choice: c.choice}
	for _, f := range c.follows {
		if open := f.open(c.turns, c.ending); len(open) > 0 {
			r.Open = append(r.Open, following{Session: f.session, After: f.after, Turns: open})
		}
	}
	for _, m := range c.finals {
		if m.undo != "" && m.message != "" {
			r.Undo = append(r.Undo, undoButton{m.session, m.turn, m.message})
		}
	}
	c.front.book.put(r)
}
