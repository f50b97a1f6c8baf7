package hub

import (
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
	"github.com/bellcord/bellcord/store"
)

// earlyStopKey identifies a stop that arrived before its turn. An empty owner matches
// any owner.
type earlyStopKey struct {
	turn  bellcord.TurnID
	owner string
}

// kept is a stop that was received before its turn.
type kept struct {
	cause *bellcord.Cause
	until time.Time
}

// earlyStops are the stops that were received before their turn.
type earlyStops struct {
	kept  map[earlyStopKey]kept
	order map[string][]earlyStopKey // the keys of kept, by owner, the oldest first
}

func newEarlyStops() earlyStops {
	return earlyStops{map[earlyStopKey]kept{}, map[string][]earlyStopKey{}}
}

// keep keeps a stop until the given time, and removes the owner's oldest one if
// there are too many. Of two stops of a turn, the prevailing one is kept.
func (e *earlyStops) keep(of earlyStopKey, cause *bellcord.Cause, now, until time.Time) {
	had, is := e.kept[of]
	if is && !lifecycle.Overrules(*cause, *had.cause) && now.Before(had.until) {
		return
	}
	e.kept[of] = kept{cause, until}
	if is {
		return
	}
	all := e.order[of.owner]
	all = append(all, of)
	if len(all) > store.MaxEarlyStops {
		delete(e.kept, all[0])
		all = all[1:]
	}
	e.order[of.owner] = all
}

// take removes and returns the stop of a turn that was accepted at the given time,
// or nil.
func (e *earlyStops) take(of earlyStopKey, accepted time.Time) *bellcord.Cause {
	early, is := e.kept[of]
	if !is {
		return nil
	}
	delete(e.kept, of)
	// With its old place, the next stop with the key would be removed too early.
	e.order[of.owner] = slices.DeleteFunc(e.order[of.owner], func(other earlyStopKey) bool { return other == of })
	if !accepted.Before(early.until) {
		return nil
	}
	return early.cause
}

// forget removes the stops that have expired.
func (e *earlyStops) forget(now time.Time) {
	for of, early := range e.kept {
		if early.until.Before(now) {
			delete(e.kept, of)
		}
	}
	for owner, all := range e.order {
		all = slices.DeleteFunc(all, func(of earlyStopKey) bool { _, is := e.kept[of]; return !is })
		if e.order[owner] = all; len(all) == 0 {
			delete(e.order, owner)
		}
	}
}
