package hub

import (
	"fmt"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// A caller that may stop can name any number of turns that never arrive.
func TestEarlyStops_ManyOfOneOwner_TheNewestAreKept(t *testing.T) {
	t.Parallel()
	e, now := newEarlyStops(), time.Unix(1, 0)
	of := func(owner string, n int) earlyStopKey {
		return earlyStopKey{bellcord.TurnID(fmt.Sprint(owner, n)), owner}
	}
	e.keep(of("anna", 0), &bellcord.Cause{By: "anna"}, now, now.Add(time.Minute))
	for n := range 3 * store.MaxEarlyStops {
		e.keep(of("mallory", n), &bellcord.Cause{By: "mallory"}, now, now.Add(time.Minute))
		e.keep(of("mallory", n), &bellcord.Cause{By: "again"}, now, now.Add(time.Minute))
	}
	if len(e.kept) != store.MaxEarlyStops+1 || len(e.order["mallory"]) != store.MaxEarlyStops {
		t.Errorf("%d stops are kept, %d keys of the owner", len(e.kept), len(e.order["mallory"]))
	}
	if e.take(of("anna", 0), now) == nil || e.take(of("mallory", 3*store.MaxEarlyStops-1), now) == nil || e.take(of("mallory", 0), now) != nil {
		t.Error("another owner's stop or the newest one was removed, or the oldest one was kept")
	}
	e.forget(now.Add(time.Hour))
	if len(e.kept) != 0 || len(e.order) != 0 {
		t.Errorf("after they have expired, %d stops and %d owners remain", len(e.kept), len(e.order))
	}
}

// Two stops with one key can come one after the other: the turn takes the first,
// and is withdrawn.
func TestEarlyStops_KeyIsTakenAndKeptAgain_CountsAsNew(t *testing.T) {
	t.Parallel()
	e, now := newEarlyStops(), time.Unix(1, 0)
	keep := func(n int) earlyStopKey {
		of := earlyStopKey{bellcord.TurnID(fmt.Sprint(n)), "anna"}
		e.keep(of, &bellcord.Cause{By: "anna"}, now, now.Add(time.Minute))
		return of
	}
	again := keep(0)
	for n := range store.MaxEarlyStops - 1 {
		keep(n + 1)
	}
	if e.take(again, now) == nil {
		t.Fatal("the stop was not kept")
	}
	keep(0)
	keep(store.MaxEarlyStops)
	if got := len(e.order["anna"]); got != len(e.kept) {
		t.Errorf("%d keys of %d stops", got, len(e.kept))
	}
	if e.take(again, now) == nil {
		t.Error("the newer stop was removed before older ones")
	}
}
