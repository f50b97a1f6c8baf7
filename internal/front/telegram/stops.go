package telegram

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// stopBound is how long somebody waits for the receipts of a stop: its hard
// bound, and time to write the ends.
const stopBound = 15 * time.Second

// stopTurns stops the chat's turns, and messages that are not accepted as
// turns yet. It does not wait: when it returns, every stop has been
// requested.
func (c *chat) stopTurns(cause bellcord.Cause, fate bellcord.QueueAction) []*hub.Stopping {
	c.mu.Lock()
	pending, session, mode := slices.Clone(c.pending), c.session, c.tellAll()
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

// tellAll notes that what runs was told to stop. The second time it is meant
// without any grace. The lock is held.
func (c *chat) tellAll() bellcord.StopMode {
	mode := bellcord.StopNow
	for _, t := range c.turns {
		if t.session == c.session && t.running {
			mode = t.nextStopMode()
		}
	}
	return mode
}

// stopHere is /stop, and the word.
func (c *chat) stopHere(s said, fate bellcord.QueueAction) {
	under := c.stopTurns(c.cause(s.by, ""), fate)
	c.front.work.Go(func() {
		stopped := settle(c.front.life, under)
		if len(stopped) == 0 {
			c.say("Nothing is running.")
		}
		c.front.handled(s.update)
	})
}

// settle waits until what was stopped has settled and is on record, or for a
// bound; it returns what there was to stop.
func settle(ctx context.Context, under []*hub.Stopping) []bellcord.StopAnswer {
	bounded, done := context.WithTimeout(ctx, stopBound)
	defer done()
	var stopped []bellcord.StopAnswer
	for _, s := range under {
		answers, err := s.Wait(bounded)
		if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			continue
		}
		_ = s.Recorded(bounded) // a store that is stuck keeps nobody waiting
		for _, a := range answers {
			if a.State != bellcord.StopStateAlreadyEnded {
				stopped = append(stopped, a)
			}
		}
	}
	return stopped
}

// showTime is how long somebody waits for the chat to have caught up with the log.
const showTime = 5 * time.Second

// shown returns when the ends of turns that were stopped are on their way to the
// chat: what is said next comes behind them.
func (c *chat) shown(ctx context.Context, stopped []bellcord.StopAnswer) {
	bounded, done := context.WithTimeout(ctx, showTime)
	defer done()
	c.until(bounded, func() bool {
		return !slices.ContainsFunc(stopped, func(a bellcord.StopAnswer) bool {
			return !a.State.UnderWay() && (c.turns[a.Turn] != nil || c.mine[a.Turn])
		})
	})
}

// instead stops what runs and what waits, and has something else answered.
func (c *chat) instead(s said) {
	cause := c.cause(s.by, "")
	cause.Kind = bellcord.CauseReplaced
	c.stopTurns(cause, bellcord.QueueDrop)
	c.prompt(s, bellcord.BusyReplace)
}

// takeStopped is Telegram's own Stop, pressed on a draft. Telegram has taken the
// draft away, or will: it is not written to again.
func (f *Front) takeStopped(u wire.Update, s *wire.Stopped) {
	f.mu.Lock()
	c := f.chats[at(s.Place)]
	f.mu.Unlock()
	by, entitled := f.Rights.Person(s.Place.Chat) // a private chat has its person's number
	if c == nil || !entitled {
		f.handled(u.ID)
		return
	}
	c.stir()
	id, mode, there := c.withdraw(s.Draft)
	if !there {
		f.handled(u.ID) // of a turn that is over
		return
	}
	under := f.Hub.Stop(bellcord.StopRequest{Turn: id, Owner: c.owner, Cause: c.cause(by, ""), Mode: mode})
	f.work.Go(func() {
		settle(f.life, []*hub.Stopping{under})
		f.handled(u.ID)
	})
}

// withdraw finds the turn that a stopped draft shows, and shows it no more there.
func (c *chat) withdraw(draft int) (bellcord.TurnID, bellcord.StopMode, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.turns {
		if t.drafted(draft) {
			t.edits, t.silent = true, true
			c.front.box.Forget(c.place.Chat, t.slot())
			return t.id, t.nextStopMode(), true
		}
	}
	return "", "", false
}
