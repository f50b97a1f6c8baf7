package storetest

import (
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var earlyChecks = []check{
	{"law 2: a stop that comes before its turn is kept, whichever nodes they come through", early},
	{"law 2: the first early stop stays", earlyTwice},
	{"law 2: an early stop with mode now replaces one that waits for a step", earlyOverruled},
	{"law 3: an early stop is forgotten after its time", earlyExpired},
	{"law 2: an early stop holds although one before it has been forgotten", earlyRenewed},
	{"law 3: an early stop is used up by its turn", earlyOnce},
	{"law 3: of the early stops of an owner, the newest are kept", earlyBounded},
	{"law 32: an early stop survives the death of who received it", earlySurvives},
}

// stopOf accepts a turn and returns the stop kept for it.
func (n *node) stopOf(id bellcord.TurnID) *bellcord.Cause {
	n.t.Helper()
	r := n.ok(acceptAs(n.session(), id))
	if record := n.record(id); requester(record.Stop) != requester(r.Stop) {
		n.t.Errorf("the result has stop %v, the record %v", r.Stop, record.Stop)
	}
	return r.Stop
}

func early(b *bench) {
	n, other := b.node(), b.node()
	id := bellcord.NewTurnID()
	cause := stopBy("anna", bellcord.StopNow)
	if r := n.ok(recordStop(id, cause)); r.Record != nil || len(r.Events) > 0 {
		b.Errorf("a stop of a turn that does not exist yet: %+v, %v", r.Record, kinds(r.Events))
	}
	s := other.session()
	r := other.ok(acceptAs(s, id))
	if r.Stop == nil || *r.Stop != cause {
		b.Fatalf("the turn found %v, want %v", r.Stop, &cause)
	}
	if events := n.log(s); countKind(events, "stop_requested") != 1 {
		b.Errorf("the log is %v", kinds(events))
	}
	expectStops(b, other, id)
	other.refused(claimed{s, id, n.record(id).Fence}.ends(bellcord.EndDone), store.ErrStopRecorded)
}

func earlyTwice(b *bench) {
	n, other := b.node(), b.node()
	id := bellcord.NewTurnID()
	n.ok(recordStop(id, stopBy("first", bellcord.StopNow)))
	other.ok(recordStop(id, stopBy("later", bellcord.StopNow)))
	other.ok(recordStop(id, stopBy("patient", bellcord.StopAfterStep)))
	if stop := n.stopOf(id); requester(stop) != "first" {
		b.Errorf("the turn found %v", stop)
	}
}

func earlyOverruled(b *bench) {
	n := b.node()
	id := bellcord.NewTurnID()
	n.ok(recordStop(id, stopBy("patient", bellcord.StopAfterStep)))
	n.ok(recordStop(id, stopBy("hasty", bellcord.StopNow)))
	if stop := n.stopOf(id); requester(stop) != "hasty" {
		b.Errorf("the turn found %v", stop)
	}
}

// aged returns a stop that was requested some time ago.
func aged(by string, age time.Duration) bellcord.Cause {
	cause := stopBy(by, bellcord.StopNow)
	cause.At = cause.At.Add(-age)
	return cause
}

func earlyExpired(b *bench) {
	n := b.node()
	old, fresh := bellcord.NewTurnID(), bellcord.NewTurnID()
	n.ok(recordStop(old, aged("old", store.EarlyStopLifetime+time.Minute)))
	n.ok(recordStop(fresh, aged("fresh", store.EarlyStopLifetime-time.Minute)))
	if stop := n.stopOf(old); stop != nil {
		b.Errorf("the turn found an expired stop: %v", stop)
	}
	if stop := n.stopOf(fresh); requester(stop) != "fresh" {
		b.Errorf("the turn found %v", stop)
	}
}

func earlyRenewed(b *bench) {
	n := b.node()
	id := bellcord.NewTurnID()
	n.ok(recordStop(id, aged("old", store.EarlyStopLifetime+time.Minute)))
	n.ok(recordStop(id, stopBy("new", bellcord.StopNow)))
	if stop := n.stopOf(id); requester(stop) != "new" {
		b.Errorf("the turn found %v", stop)
	}
}

func earlyOnce(b *bench) {
	n := b.node()
	id := bellcord.NewTurnID()
	s := n.session()
	n.ok(recordStop(id, stopBy("anna", bellcord.StopNow)))
	n.ok(acceptAs(s, id))
	n.ok(store.DeleteSession{ID: s})
	if stop := n.stopOf(id); stop != nil {
		b.Errorf("a second turn found the first turn's stop: %v", stop)
	}
}

func earlySurvives(b *bench) {
	receiver, err := b.Open(b.place)
	if err != nil {
		b.Fatal(err)
	}
	id := bellcord.NewTurnID()
	(&node{b.T, receiver}).ok(recordStop(id, stopBy("anna", bellcord.StopNow)))
	if err := receiver.Close(); err != nil {
		b.Fatal(err)
	}
	if stop := b.node().stopOf(id); requester(stop) != "anna" {
		b.Errorf("the turn found %v", stop)
	}
}

// earlyBounded commits the stops in one batch, as a hub does.
func earlyBounded(b *bench) {
	n := b.node()
	oldest, newest, others := bellcord.NewTurnID(), bellcord.NewTurnID(), bellcord.NewTurnID()
	ops := []store.Op{
		recordStopAs("bert", others, aged("bert", 3*time.Minute)),
		recordStopAs("anna", oldest, aged("anna", 2*time.Minute)),
	}
	for range store.MaxEarlyStops - 1 {
		ops = append(ops, recordStopAs("anna", bellcord.NewTurnID(), aged("anna", time.Minute)))
	}
	for _, r := range n.do(append(ops, recordStopAs("anna", newest, stopBy("anna", bellcord.StopNow)))...) {
		if r.Err != nil {
			b.Fatal(r.Err)
		}
	}
	for _, of := range []struct {
		owner string
		turn  bellcord.TurnID
		want  string
	}{{"anna", oldest, ""}, {"anna", newest, "anna"}, {"bert", others, "bert"}} {
		stop := n.ok(acceptAs(n.sessionOf(of.owner), of.turn)).Stop
		if (stop == nil) != (of.want == "") || stop != nil && requester(stop) != of.want {
			b.Errorf("a turn of %s found %v, want a stop by %q", of.owner, stop, of.want)
		}
	}
}
