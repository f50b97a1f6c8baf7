package hub_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// sharedClock is a clock that is an hour ahead of this machine's.
func sharedClock(uncertainty time.Duration) func() (time.Time, time.Duration) {
	return func() (time.Time, time.Duration) { return time.Now().Add(time.Hour), uncertainty }
}

// Every time that is compared with times of other processes is of the shared clock,
// and so are those that are shown next to them.
func TestClock_DiffersFromTheMachines_AllTimesOfATurnFollowIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now().Add(time.Hour)
		h := open(t, script(streamWords), hub.Options{Clock: sharedClock(0)})
		turn := h.prompt("talk")
		<-time.After(95 * time.Millisecond)
		r := h.stop(bellcord.StopTurn(turn.ID, bellcord.Cause{By: "anna"})).Receipt
		times := map[string]time.Time{
			"accepted": r.Times.Accepted, "started": r.Times.Started, "stop requested": r.Times.StopRequested, "settled": r.Times.Settled, "cause": r.Cause.At,
		}
		events, err := h.Events(t.Context(), h.session, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer events.Close()
		all, err := events.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range all {
			times[ev.Body.Kind()] = ev.Time
		}
		for what, at := range times {
			if at.Before(began) || at.After(began.Add(time.Minute)) {
				t.Errorf("%s is %v, %v from the shared clock", what, at, at.Sub(began))
			}
		}
	})
}

// The order of a prompt and a relayed stop of a scope is uncertain within the error
// of the clock. The record of the stop decides then, and not the message.
func TestLaw01_RelayedStopWithinTheClocksError_LeavesTheTurnToTheRecord(t *testing.T) {
	t.Parallel()
	for _, relayed := range []struct {
		after time.Duration // from the acceptance to the stop
		taken bool
	}{{-time.Second, false}, {0, false}, {9 * time.Millisecond, false}, {10 * time.Millisecond, true}, {time.Second, true}} {
		t.Run(relayed.after.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := open(t, script(streamWords), hub.Options{Clock: sharedClock(10 * time.Millisecond)})
				at := time.Now().Add(time.Hour + relayed.after)
				turn := h.prompt("talk")
				<-time.After(2 * time.Second)
				stopping := h.Stop(bellcord.StopRequest{Session: h.session, Relayed: true, Cause: bellcord.Cause{Kind: bellcord.CausePerson, At: at}})
				if taken := len(stopping.Turns()) == 1; taken != relayed.taken {
					t.Errorf("a stop %v after the prompt takes the turn: %v", relayed.after, taken)
				}
				h.Stop(bellcord.StopTurn(turn.ID, bellcord.Cause{}))
				<-turn.Settled()
			})
		})
	}
}
