package storetest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var stopChecks = []check{
	{"a forced stop takes the grace from the one on record, which stays", hurried},
	{"law 7: of several stops the first stays", firstStays},
	{"law 7: many stops at once from two nodes are one stop", manyStops},
	{"a stop with mode now replaces one that waits for a step, and not the other way round", overruled},
	{"law 3: a stop of an ended turn changes nothing and returns how it ended", tooLate},
	{"law 1: a stop touches its own turn and no other", onlyThat},
	{"a node receives the stops of its own unended turns, and only of these", stopsDelivered},
	{"a stop shows in the record, the log and the claim", recorded},
	{"law 29: a stop of a queued turn that waits for a step cuts now, and the turn cannot end as done", queuedNow},
}

func firstStays(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	t := n.running(s)
	n.ok(recordStop(t.turn, stopBy("first", bellcord.StopNow)))
	n.unchanged(s, func() {
		for _, mode := range []bellcord.StopMode{bellcord.StopNow, bellcord.StopForce, bellcord.StopAfterStep, ""} {
			r := other.ok(recordStop(t.turn, stopBy("later", mode)))
			if r.Record == nil || requester(r.Record.Stop) != "first" || requester(r.Stop) != "first" {
				b.Errorf("a later stop (%s) returned %v, record %+v", mode, r.Stop, r.Record)
			}
		}
	})
}

func manyStops(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	t := n.running(s)
	results := make([]string, 8)
	var all sync.WaitGroup
	for i := range results {
		from := []*node{n, other}[i%2]
		all.Go(func() {
			results[i] = requester(from.ok(recordStop(t.turn, stopBy(fmt.Sprint(i), bellcord.StopNow))).Stop)
		})
	}
	all.Wait()
	stays := requester(n.record(t.turn).Stop)
	if slices.ContainsFunc(results, func(by string) bool { return by != stays }) {
		b.Errorf("%s's stop is recorded, the results were %v", stays, results)
	}
	if got := countKind(n.log(s), "stop_requested"); got != 1 {
		b.Errorf("the log has %d stops", got)
	}
}

func overruled(b *bench) {
	n := b.node()
	for _, mode := range []bellcord.StopMode{bellcord.StopNow, bellcord.StopForce, ""} {
		s := n.session()
		t := n.running(s)
		n.ok(recordStop(t.turn, stopBy("patient", bellcord.StopAfterStep)))
		n.unchanged(s, func() { n.ok(recordStop(t.turn, stopBy("as patient", bellcord.StopAfterStep))) })
		r := n.ok(recordStop(t.turn, stopBy("hasty", mode)))
		if requester(r.Stop) != "hasty" || len(r.Events) != 1 {
			b.Errorf("overruled by %q: %v, %v", mode, r.Stop, kinds(r.Events))
		}
		n.unchanged(s, func() { n.ok(recordStop(t.turn, stopBy("patient", bellcord.StopAfterStep))) })
		if r := n.refused(t.ends(bellcord.EndDone), store.ErrStopRecorded); requester(r.Stop) != "hasty" {
			b.Errorf("done lost to %v", r.Stop)
		}
	}
}

func tooLate(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	t := n.running(s)
	n.ok(t.ends(bellcord.EndDone))
	n.unchanged(s, func() {
		r := other.ok(recordStop(t.turn, stopBy("late", bellcord.StopNow)))
		if r.Record == nil || r.Record.State != bellcord.StateEnded || r.Record.Receipt == nil || r.Record.Receipt.End != bellcord.EndDone {
			b.Errorf("the result is %+v", r.Record)
		}
	})
	if stop := n.record(t.turn).Stop; stop != nil {
		b.Errorf("the ended turn has a recorded stop: %v", stop)
	}
}

func onlyThat(b *bench) {
	n := b.node()
	s := n.session()
	t, next := n.running(s), n.queued(s)
	n.ok(recordStop(t.turn, stopBy("anna", bellcord.StopNow)))
	n.ok(t.ends(bellcord.EndStopped))
	n.ok(recordStop(t.turn, stopBy("again", bellcord.StopNow)))
	r := n.ok(claim(s, next))
	if r.Stop != nil || n.record(next).Stop != nil {
		b.Errorf("the next turn has a stop: %v", r.Stop)
	}
	n.ok(claimed{s, next, r.Fence}.ends(bellcord.EndDone))
}

func stopsDelivered(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	runs, waits, spared := n.running(s), n.queued(s), n.queued(s)
	over, foreign := n.running(n.session()), other.queued(s)
	for _, id := range []bellcord.TurnID{runs.turn, waits, over.turn, foreign} {
		other.ok(recordStop(id, stopBy("anna", bellcord.StopNow)))
	}
	n.ok(over.ends(bellcord.EndStopped))
	expectStops(b, n, runs.turn, waits)
	expectStops(b, other, foreign)
	n.ok(runs.ends(bellcord.EndStopped))
	n.ok(recordStop(spared, stopBy("ben", bellcord.StopAfterStep)))
	expectStops(b, n, waits, spared)
}

func expectStops(b *bench, n *node, want ...bellcord.TurnID) {
	b.Helper()
	records, err := n.RecordedStops(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var got []bellcord.TurnID
	for _, r := range records {
		if got = append(got, r.ID); r.Stop == nil || r.State == bellcord.StateEnded {
			b.Errorf("the node is notified of %+v", r)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		b.Errorf("the node is notified of %v, want %v", got, want)
	}
}

func recorded(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	turn := n.queued(s)
	cause := stopBy("anna", bellcord.StopForce)
	r := other.ok(recordStop(turn, cause))
	if r.Record == nil || r.Record.ID != turn || r.Record.State != bellcord.StateQueued || len(r.Events) != 1 || r.Events[0].Turn != turn {
		b.Fatalf("the result is %+v with %v", r.Record, kinds(r.Events))
	}
	if got, ok := n.log(s)[1].Body.(bellcord.StopRequested); !ok || got.Cause != cause {
		b.Errorf("the log has %+v", got)
	}
	if got := n.ok(claim(s, turn)).Stop; got == nil || *got != cause {
		b.Errorf("the claim returned stop %v", got)
	}
}

func queuedNow(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	turn, dropped := n.queued(s), n.queued(s)
	r := other.ok(recordStop(turn, stopBy("anna", bellcord.StopAfterStep)))
	if r.Stop == nil || r.Stop.Mode != "" || n.record(turn).Stop.Mode != "" {
		b.Errorf("the result has %+v, the record %+v", r.Stop, n.record(turn).Stop)
	}
	other.ok(store.RecordStops{Session: s, Drop: true, Cause: stopBy("anna", bellcord.StopAfterStep)})
	if stop := n.record(dropped).Stop; stop == nil || stop.Mode != "" {
		b.Errorf("a stop of the session and its queue recorded %+v", stop)
	}
	c := claimed{s, turn, n.ok(claim(s, turn)).Fence}
	n.refused(c.ends(bellcord.EndDone), store.ErrStopRecorded)
	early := bellcord.NewTurnID()
	other.ok(recordStop(early, stopBy("anna", bellcord.StopAfterStep)))
	if stop := n.stopOf(early); stop == nil || stop.Mode != "" {
		b.Errorf("the turn of an early stop found %+v", stop)
	}
}

func hurried(b *bench) {
	n, other := b.node(), b.node()
	t := n.running(n.session())
	n.ok(store.RecordStop{Turn: t.turn, Cause: stopBy("anna", bellcord.StopNow)})
	r := other.ok(store.RecordStop{Turn: t.turn, Cause: stopBy("bert", bellcord.StopForce)})
	stop := n.record(t.turn).Stop
	if stop == nil || stop.By != "anna" || stop.Mode != bellcord.StopForce || r.Stop == nil || *r.Stop != *stop || len(r.Events) > 0 {
		b.Errorf("recorded %+v, returned %+v", stop, r)
	}
	n.ok(store.RecordStop{Turn: t.turn, Cause: stopBy("carl", bellcord.StopNow)})
	if again := n.record(t.turn).Stop; again.Mode != bellcord.StopForce || again.By != "anna" {
		b.Errorf("a later stop changed it to %+v", again)
	}
	if got := countKind(n.log(t.session), "stop_requested"); got != 1 {
		b.Errorf("the log has %d stops", got)
	}
}
