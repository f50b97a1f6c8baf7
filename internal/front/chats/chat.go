package chats

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/chats/outbox"
)

// chat is a conversation on a platform and its display.
type chat struct {
	*shared
	jobs
	*shownTurns
	questions
	finals
	offers
	choices
	follows map[bellcord.SessionID]*follower // logs being read
}

// shared is what all parts of a chat have in common.
type shared struct {
	front *Front
	place Place
	owner string // owner of its sessions
	note  func() // stores the state of the chat; the caller holds the lock

	mu      sync.Mutex         // protects all parts
	session bellcord.SessionID // "" before the first prompt
}

// jobs are the prompts that a chat passes to the hub and its other work, in order.
type jobs struct {
	*shared
	pending []bellcord.TurnID // prompts that are not accepted yet
	line    []func(context.Context)
	working bool                     // workOff is running
	cleared map[bellcord.TurnID]bool // pending turns that must not be shown, because the chat was cleared
	own     map[bellcord.TurnID]bool // prompted here, and not ended
	active  time.Time                // time of the last activity
	changed chan struct{}            // closed and replaced whenever something ends
}

// shownTurns are the turns on the platform.
type shownTurns struct {
	*shared
	turns  map[bellcord.TurnID]*turn // shown and not ended
	ending map[bellcord.TurnID]*turn // ended, but not yet sent completely
}

// choice contains the user's choices for the next session.
type choice struct {
	Agent string `json:"agent,omitempty"`
	Model string `json:"model,omitempty"`
}

func newChat(f *Front, p Place, owner string) *chat {
	sh := &shared{front: f, place: p, owner: owner}
	turns := &shownTurns{sh, map[bellcord.TurnID]*turn{}, map[bellcord.TurnID]*turn{}}
	c := &chat{
		shared: sh, shownTurns: turns, questions: questions{turns}, finals: finals{shared: sh}, offers: offers{shared: sh},
		choices: choices{sh, choice{f.Session.Agent, f.Session.Model}}, follows: map[bellcord.SessionID]*follower{},
		jobs: jobs{
			shared: sh, active: time.Now(), changed: make(chan struct{}),
			cleared: map[bellcord.TurnID]bool{}, own: map[bellcord.TurnID]bool{},
		},
	}
	sh.note = c.store
	if r, known := f.book.find(at(p)); known && r.Owner == owner {
		c.session, c.choice = r.Session, r.Choice
		for _, b := range r.Undo {
			c.all = append(c.all, &final{session: b.Session, turn: b.Turn, message: b.Message, needed: true, undo: undoLabel(0)})
		}
	}
	return c
}

// stir updates the time of the last activity.
func (js *jobs) stir() {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.active = time.Now()
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
func (js *jobs) enqueue(do func(ctx context.Context)) {
	js.line = append(js.line, do)
	if !js.working {
		js.working = true
		js.front.work.Go(js.workOff)
	}
}

func (js *jobs) workOff() {
	for {
		js.mu.Lock()
		if len(js.line) == 0 {
			js.working = false
			js.signalEndLocked()
			js.mu.Unlock()
			return
		}
		do := js.line[0]
		js.line = js.line[1:]
		js.mu.Unlock()
		do(js.front.life)
	}
}

// until returns when holds returns true or ctx ends. It calls holds with the
// lock held, first at once and then whenever something has ended.
func (js *jobs) until(ctx context.Context, holds func() bool) {
	for {
		js.mu.Lock()
		is, changed := holds(), js.changed
		js.mu.Unlock()
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
func (js *jobs) signalEndLocked() {
	close(js.changed)
	js.changed = make(chan struct{})
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
func (js *jobs) accepted(id bellcord.TurnID, turn bool) {
	js.mu.Lock()
	defer js.mu.Unlock()
	js.pending = slices.DeleteFunc(js.pending, func(other bellcord.TurnID) bool { return other == id })
	if !turn {
		delete(js.own, id)
		delete(js.cleared, id)
		js.signalEndLocked()
	}
}

// cause returns the cause of a stop by a person in this chat.
func (sh *shared) cause(by, why string) bellcord.Cause {
	return bellcord.Cause{Kind: bellcord.CausePerson, By: by, Source: sh.front.Platform, Reason: why}
}

// logger returns a logger that names the chat.
func (sh *shared) logger() *slog.Logger {
	return sh.front.Logger.With("platform", sh.front.Platform, "chat", sh.place.Chat)
}

// put queues a call that must arrive, in order.
func (sh *shared) put(do func(ctx context.Context) error) {
	sh.front.box.Put(outbox.Call{Chat: string(sh.place.Chat), Group: sh.place.Group, Do: do})
}

// sendText sends a text that belongs to no turn. A text that does not fit into a
// message is cut.
func (sh *shared) sendText(text string, rows ...[]Button) {
	if parts := Split(text, sh.front.Limits.part()); len(parts) > 1 {
		text = parts[0] + "…"
	}
	sh.put(func(ctx context.Context) error {
		_, err := sh.front.Messages.Send(ctx, Text{Place: sh.place, Text: text, Buttons: rows})
		return err
	})
}

// store stores the state of the chat. The caller holds the lock.
func (c *chat) store() {
	r := record{Place: c.place, Owner: c.owner, Session: c.session, Choice: c.choice}
	for _, f := range c.follows {
		if open := f.open(c.turns, c.ending); len(open) > 0 {
			r.Open = append(r.Open, following{Session: f.session, After: f.after, Turns: open})
		}
	}
	for _, m := range c.all {
		if m.undo != "" && m.message != "" {
			r.Undo = append(r.Undo, undoButton{m.session, m.turn, m.message})
		}
	}
	c.front.book.put(r)
}
