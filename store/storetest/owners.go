package storetest

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var ownerChecks = []check{
	{"law 35: a stop with an owner is refused for somebody else's turn, as if there were none", ownedStop},
	{"law 35: an early stop waits only for a turn of its owner's", ownedEarly},
	{"law 35: an early stop of somebody else's takes no place of the owner's own", ownedEarlyBoth},
	{"law 2: an early stop of nobody in particular is for everybody's turn", ownedByAnybody},
	{"sessions and spendings are listed by owner", ownedLists},
}

// sessionOf creates a session with an owner.
func (n *node) sessionOf(owner string) bellcord.SessionID {
	n.t.Helper()
	at := now()
	s := bellcord.Session{ID: bellcord.NewSessionID(), Dir: "/tmp", Owner: owner, Created: at, Updated: at}
	n.ok(store.PutSession{Session: s})
	if read, err := n.Session(n.t.Context(), s.ID); err != nil || read.Owner != owner {
		n.t.Errorf("the session belongs to %q, %v", read.Owner, err)
	}
	return s.ID
}

func recordStopAs(owner string, id bellcord.TurnID, cause bellcord.Cause) store.RecordStop {
	return store.RecordStop{Turn: id, Owner: owner, Cause: cause}
}

func ownedStop(b *bench) {
	n, other := b.node(), b.node()
	turn := n.running(n.sessionOf("anna"))
	n.unchanged(turn.session, func() {
		r := other.refused(recordStopAs("bert", turn.turn, stopBy("bert", bellcord.StopNow)), bellcord.ErrNoTurn)
		if r.Record != nil || r.Stop != nil {
			b.Errorf("bert's stop returned %+v", r)
		}
	})
	if stop := n.record(turn.turn).Stop; stop != nil {
		b.Errorf("a stop by %s is recorded", stop.By)
	}
	other.ok(recordStopAs("anna", turn.turn, stopBy("anna", bellcord.StopNow)))
	if stop := n.record(turn.turn).Stop; requester(stop) != "anna" {
		b.Errorf("the recorded stop is by %s", requester(stop))
	}
}

func ownedEarly(b *bench) {
	n, other := b.node(), b.node()
	id := bellcord.NewTurnID()
	n.ok(recordStopAs("bert", id, stopBy("bert", bellcord.StopNow)))
	if r := other.ok(acceptAs(other.sessionOf("anna"), id)); r.Stop != nil {
		b.Errorf("anna's turn was stopped by %s", r.Stop.By)
	}
}

func ownedEarlyBoth(b *bench) {
	n := b.node()
	id := bellcord.NewTurnID()
	n.ok(recordStopAs("bert", id, stopBy("bert", bellcord.StopNow)))
	n.ok(recordStopAs("anna", id, stopBy("anna", bellcord.StopNow)))
	if r := n.ok(acceptAs(n.sessionOf("anna"), id)); requester(r.Stop) != "anna" {
		b.Errorf("anna's turn was stopped by %s", requester(r.Stop))
	}
}

func ownedByAnybody(b *bench) {
	n := b.node()
	for _, test := range []struct {
		first, second store.RecordStop
		want          string
	}{
		{recordStopAs("", "", stopBy("admin", bellcord.StopNow)), recordStopAs("anna", "", stopBy("anna", bellcord.StopNow)), "admin"},
		{recordStopAs("anna", "", stopBy("anna", bellcord.StopNow)), recordStopAs("", "", stopBy("admin", bellcord.StopNow)), "anna"},
		{recordStopAs("anna", "", stopBy("anna", bellcord.StopAfterStep)), recordStopAs("", "", stopBy("admin", bellcord.StopNow)), "admin"},
		{recordStopAs("", "", stopBy("admin", bellcord.StopAfterStep)), recordStopAs("anna", "", stopBy("anna", bellcord.StopNow)), "anna"},
	} {
		id := bellcord.NewTurnID()
		test.first.Turn, test.second.Turn = id, id
		n.ok(test.first)
		n.ok(test.second)
		if r := n.ok(acceptAs(n.sessionOf("anna"), id)); requester(r.Stop) != test.want {
			b.Errorf("stopped by %s, want %s", requester(r.Stop), test.want)
		}
	}
}

func ownedLists(b *bench) {
	n := b.node()
	for _, owner := range []string{"anna", "bert", "anna", ""} {
		turn := n.running(n.sessionOf(owner))
		end := turn.ends(bellcord.EndDone)
		end.Receipt.UsageByModel = []bellcord.ModelUsage{{Model: "m", Usage: bellcord.Usage{InputTokens: 1, Exact: true}}}
		n.ok(end)
	}
	for owner, want := range map[string]int{"anna": 2, "bert": 1, "": 4, "nobody": 0} {
		sessions, err := n.Sessions(b.Context(), store.SessionQuery{Owner: owner})
		if err != nil || len(sessions) != want {
			b.Errorf("%q has %d sessions, %v; want %d", owner, len(sessions), err, want)
		}
		spent, err := n.Spending(b.Context(), store.SpendingQuery{Owner: owner})
		if err != nil || len(spent) != want {
			b.Errorf("%q has %d spendings, %v; want %d", owner, len(spent), err, want)
		}
	}
}
