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
func (c *chat) markStopped() bellcord.StopMode {
	mode := bellcord.StopNow
	for _, t := range c.turns {
		if t.session == c.session && t.running {
			mode = t.nextStopMode()
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
func (c *chat) withdraw(draft int) (bellcord.TurnID, bellcord.StopMode, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.turns {
		if t.drafted(draft) {
			t.edits, t.silent = true, true
			c.front.box.Drop(string(c.place.Chat), t.slot())
			return t.id, t.nextStopMode(), true
		}
	}
	return "", "", false
}
