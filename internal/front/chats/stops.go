package chats

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// stopBound is how long to wait for the receipts of a stop: its hard limit,
// plus time to write the ends.
const stopBound = 15 * time.Second

// stopTurns stops the chat's turns and pending prompts. It does not block: when
// it returns, every stop has been requested.
func (c *chat) stopTurns(cause bellcord.Cause, fate bellcord.QueueAction) []*hub.Stopping {
	c.mu.Lock()
	pending, session, mode := slices.Clone(c.pending), c.session, c.markStopped()
	c.mu.Unlock()
	var under []*hub.Stopping
	for _, id := range pending {
		under = append(under, c.front.Hub.Stop(bellcord.StopRequest{Turn: id, Owner: c.owner, Cause: cause, Mode: mode, Queue: fate}))
	}
	if session != "" {
		under = append(under, c.front.Hub.Stop(bellcord.StopRequest{
			Session: session, Owner: c.owner, Everywhere: true, Cause: cause, Mode: mode, Queue: fate,
		}))
	}
	return under
}

// markStopped records a stop of the running turn and returns its mode: StopForce if
// the turn is already being stopped. The caller holds the lock.
func (ts *shownTurns) markStopped() bellcord.StopMode {
	mode := bellcord.StopNow
	for _, t := range ts.turns {
		if t.session == ts.session && t.phase == phaseRunning {
			mode = t.askStop()
		}
	}
	return mode
}

// stopHere handles /stop and the word "stop".
func (c *chat) stopHere(s incoming, fate bellcord.QueueAction) {
	under := c.stopTurns(c.cause(s.by, ""), fate)
	c.front.work.Go(func() {
		stopped := settle(c.front.life, under)
		if len(stopped) == 0 {
			c.sendText("Nothing is running.")
		}
		c.front.Handled(s.handled)
	})
}

// settle waits, for at most stopBound, until the stopped turns have settled and
// their ends are durable. It returns the turns that had not ended before the
// stop.
func settle(ctx context.Context, under []*hub.Stopping) []bellcord.StopAnswer {
	bounded, done := context.WithTimeout(ctx, stopBound)
	defer done()
	var stopped []bellcord.StopAnswer
	for _, s := range under {
		answers, err := s.Wait(bounded)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			continue
		}
		_ = s.Recorded(bounded) // a stuck store must not block the reply
		for _, a := range answers {
			if a.State != bellcord.StopStateAlreadyEnded {
				stopped = append(stopped, a)
			}
		}
	}
	return stopped
}

// showTime is how long to wait until the chat shows what is in the log.
const showTime = 5 * time.Second

// shown waits until the ends of stopped turns are queued for the chat, so that
// later messages follow them. It waits for at most showTime.
func (c *chat) shown(ctx context.Context, stopped []bellcord.StopAnswer) {
	bounded, done := context.WithTimeout(ctx, showTime)
	defer done()
	c.until(bounded, func() bool {
		return !slices.ContainsFunc(stopped, func(a bellcord.StopAnswer) bool {
			return !a.State.UnderWay() && (c.turns[a.Turn] != nil || c.own[a.Turn])
		})
	})
}

// instead stops the running turn, drops queued prompts and answers a message
// instead.
func (c *chat) instead(s incoming) {
	cause := c.cause(s.by, "")
	cause.Kind = bellcord.CauseReplaced
	c.stopTurns(cause, bellcord.QueueDrop)
	c.acceptPrompt(s, bellcord.BusyReplace)
}

// StopDraft handles a press of a draft's Stop button. The platform removes the
// draft, so it is not updated again.
func (f *Front) StopDraft(s StopDraft) {
	f.mu.Lock()
	c := f.chats[at(s.Place)]
	f.mu.Unlock()
	by, entitled := f.Rights.Person(s.From.ID)
	if c == nil || !entitled || s.From.ID == "" {
		f.Handled(s.Handled)
		return
	}
	c.stir()
	id, mode, found := c.withdraw(s.Draft)
	if !found {
		f.Handled(s.Handled) // the turn has ended
		return
	}
	under := f.Hub.Stop(bellcord.StopRequest{Turn: id, Owner: c.owner, Cause: c.cause(by, ""), Mode: mode})
	f.work.Go(func() {
		settle(f.life, []*hub.Stopping{under})
		f.Handled(s.Handled)
	})
}

// withdraw finds the turn shown by a stopped draft and ends its drafts. It
// returns the turn and the mode of the stop.
func (ts *shownTurns) withdraw(draft int) (bellcord.TurnID, bellcord.StopMode, bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.turns {
		if t.drafted(draft) {
			t.withdrawDraft()
			ts.front.box.Drop(string(ts.place.Chat), t.slot())
			return t.id, t.askStop(), true
		}
	}
	return "", "", false
}

// clear stops the chat's turn. When the turn has settled, it deletes the turn's
// messages, ends the hosted agent and starts a new conversation. Later messages
// wait for this and belong to the new conversation.
func (c *chat) clear(s incoming) {
	cause := c.cause(s.by, "/clear")
	discarded := c.discardTurns()
	under := c.stopTurns(cause, bellcord.QueueDrop)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(func(ctx context.Context) {
		c.shown(ctx, settle(ctx, under))
		err := c.clearConversation(ctx, cause)
		c.takeAway(discarded)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.logger().Error("clearing a chat failed", "err", err)
			c.sendText(c.apology(err.Error()))
		default:
			c.sendText("🧹 Cleared. Your next message starts a new conversation.")
		}
		c.front.Handled(s.handled)
	})
}

// discardTurns marks the turns of the session, and all prompts not shown yet, as
// cleared. It returns the turns that are shown.
func (c *chat) discardTurns() []*turn {
	c.mu.Lock()
	defer c.mu.Unlock()
	var discarded []*turn
	for _, t := range c.turns {
		if t.session == c.session {
			t.display = displayCleared
			discarded = append(discarded, t)
			c.front.box.Drop(string(c.place.Chat), t.slot())
		}
	}
	for id := range c.own {
		if c.turns[id] == nil {
			c.cleared[id] = true
		}
	}
	return discarded
}

// clearConversation starts a new conversation in the session and ends its
// agent's process.
func (sh *shared) clearConversation(ctx context.Context, cause bellcord.Cause) error {
	session := sh.currentSession()
	if session == "" {
		return nil
	}
	if _, err := sh.front.Hub.OpenSession(ctx, session); err != nil {
		return err
	}
	stopping, err := sh.front.Hub.Clear(session, cause)
	if err != nil {
		return err
	}
	settle(ctx, []*hub.Stopping{stopping})
	sh.front.LetGo(session)
	return nil
}

// takeAway deletes the messages sent for turns. The deletion is queued behind
// all messages on their way to the chat, so it misses none.
func (ts *shownTurns) takeAway(discarded []*turn) {
	for _, t := range discarded {
		ts.put(func(ctx context.Context) error {
			ts.mu.Lock()
			ids := t.ids
			ts.mu.Unlock()
			if len(ids) == 0 {
				return nil
			}
			return ts.front.Messages.Delete(ctx, ts.place, ids)
		})
	}
}

// fresh starts a new session; the previous one is kept.
func (c *chat) fresh(s incoming) {
	under := c.stopTurns(c.cause(s.by, "/new"), bellcord.QueueDrop)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(func(ctx context.Context) {
		c.shown(ctx, settle(ctx, under))
		c.mu.Lock()
		before := c.session
		c.session = ""
		c.note()
		c.mu.Unlock()
		words := "🆕 Your next message starts a new session."
		if before != "" {
			c.front.LetGo(before)
			words += " The previous one is in /sessions."
		}
		c.sendText(words)
		c.front.Handled(s.handled)
	})
}
