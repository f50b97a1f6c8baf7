package storetest

import (
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/store"
)

var scopeChecks = []check{
	{"law 1: a scope is what other nodes run when the stop is asked for, and nothing that comes behind it", scopeOfOthers},
	{"law 1: a scope includes turns within the error of the request's time", scopeUncertain},
	{"law 32: a scope includes turns that its node has taken over", scopeTaken},
	{"law 35: a scope never widens beyond its owner or its session", scopeOfOwner},
	{"law 7: a scope leaves the stops on record as they are", scopeTwice},
	{"law 37: a scope answers for the turns that its stop has ended already, and for no others", scopeEnded},
}

var editChecks = []check{
	{"a prompt that waits can be changed, and its record and the log say so", editWaiting},
	{"a prompt that no longer waits, or is another node's, cannot be changed", editRefused},
}

// stopped returns those of the given turns that have a recorded stop.
func (n *node) stopped(ids ...bellcord.TurnID) (all []bellcord.TurnID) {
	n.t.Helper()
	for _, id := range ids {
		if n.record(id).Stop != nil {
			all = append(all, id)
		}
	}
	return all
}

func idsOf(records []store.TurnRecord) (all []bellcord.TurnID) {
	for _, r := range records {
		all = append(all, r.ID)
	}
	return all
}

func scopeOfOthers(b *bench) {
	n, other := b.node(), b.node()
	own := n.running(n.session())
	s := other.session()
	running, waits := other.running(s), other.queued(s)
	request := stopBy("anna", bellcord.StopNow)
	behind := other.running(other.session())
	r := n.ok(store.RecordStops{Cause: request})
	if got := idsOf(r.Records); !slices.Equal(got, []bellcord.TurnID{running.turn}) {
		b.Errorf("the scope is %v", got)
	}
	if got := n.stopped(own.turn, running.turn, waits, behind.turn); !slices.Equal(got, []bellcord.TurnID{running.turn}) {
		b.Errorf("the stopped turns are %v", got)
	}
	if len(r.Events) != 1 || r.Events[0].Session != s || countKind(n.log(s), "stop_requested") != 1 {
		b.Errorf("events %v, log %v", kinds(r.Events), kinds(n.log(s)))
	}
	n.ok(store.RecordStops{Drop: true, Session: s, Cause: request})
	if got := n.stopped(waits, behind.turn); !slices.Equal(got, []bellcord.TurnID{waits}) {
		b.Errorf("with drop, the stopped turns are %v", got)
	}
}

func scopeUncertain(b *bench) {
	n, other := b.node(), b.node()
	request := stopBy("anna", bellcord.StopNow)
	var turns []bellcord.TurnID
	for _, after := range []time.Duration{time.Millisecond, 2 * time.Millisecond, 3 * time.Millisecond} {
		op := accept(other.session())
		op.At = request.At.Add(after)
		other.ok(op)
		turns = append(turns, op.Turn)
	}
	n.ok(store.RecordStops{Drop: true, Cause: request, Uncertainty: 2 * time.Millisecond})
	if got := n.stopped(turns...); !slices.Equal(got, turns[:2]) {
		b.Errorf("the scope is %v of %v", got, turns)
	}
}

func scopeTaken(b *bench) {
	n, leaver := b.node(), b.node()
	s := n.session()
	runs, waits := leaver.running(s), leaver.queued(s)
	if err := leaver.Close(); err != nil {
		b.Fatal(err)
	}
	var taken map[bellcord.TurnID]store.TurnRecord
	for tries := 0; len(taken) == 0 && tries < 10_000; tries++ {
		taken = n.takeOver() // a child that another check is starting shares this process's locks until its exec
	}
	request := stopBy("anna", bellcord.StopNow)
	if got := idsOf(n.ok(store.RecordStops{Cause: request}).Records); !slices.Equal(got, []bellcord.TurnID{runs.turn}) {
		b.Errorf("the scope is %v", got)
	}
	if got := idsOf(n.ok(store.RecordStops{Drop: true, Session: s, Cause: request}).Records); !slices.Equal(got, []bellcord.TurnID{runs.turn, waits}) {
		b.Errorf("with drop, the scope is %v", got)
	}
	for _, t := range []claimed{runs.under(taken[runs.turn].Fence), {s, waits, taken[waits].Fence}} {
		n.refused(t.ends(bellcord.EndLost), store.ErrStopRecorded)
		n.ok(t.ends(bellcord.EndStopped))
	}
}

func scopeOfOwner(b *bench) {
	n, other := b.node(), b.node()
	annas, berts := other.running(other.sessionOf("anna")), other.running(other.sessionOf("bert"))
	all := []bellcord.TurnID{annas.turn, berts.turn}
	n.ok(store.RecordStops{Owner: "anna", Session: berts.session, Cause: stopBy("anna", bellcord.StopNow)})
	if got := n.stopped(all...); len(got) != 0 {
		b.Errorf("anna stopped %v in bert's session", got)
	}
	n.ok(store.RecordStops{Owner: "anna", Cause: stopBy("anna", bellcord.StopNow)})
	if got := n.stopped(all...); !slices.Equal(got, all[:1]) {
		b.Errorf("anna stopped %v", got)
	}
}

func scopeTwice(b *bench) {
	n, other := b.node(), b.node()
	turn := other.running(other.session())
	n.ok(recordStop(turn.turn, stopBy("first", bellcord.StopNow)))
	n.unchanged(turn.session, func() { n.ok(store.RecordStops{Cause: stopBy("second", bellcord.StopNow)}) })
	if stop := n.record(turn.turn).Stop; requester(stop) != "first" {
		b.Errorf("the recorded stop is by %s", requester(stop))
	}
}

func editWaiting(b *bench) {
	n := b.node()
	s := n.session()
	id := n.queued(s)
	op := store.EditTurn{Session: s, Turn: id, Text: "better", At: now()}
	n.ok(op)
	if got := n.record(id).Prompt.Text; got != "better" {
		b.Errorf("the record has %q", got)
	}
	messages, err := history.Read(b.Context(), n, s)
	if err != nil || len(messages) != 0 {
		b.Errorf("a queued prompt must not be part of the conversation: %v, %v", messages, err)
	}
	n.ok(claim(s, id))
	messages, err = history.Read(b.Context(), n, s)
	if err != nil || len(messages) != 1 || messages[0].Text != "better" {
		b.Errorf("the conversation is %v, %v", messages, err)
	}
}

func editRefused(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	turn := n.running(s)
	n.refused(store.EditTurn{Session: s, Turn: turn.turn, Text: "late", At: now()}, store.ErrFenced)
	waits := n.queued(s)
	other.refused(store.EditTurn{Session: s, Turn: waits, Text: "not mine", At: now()}, store.ErrFenced)
	n.refused(store.EditTurn{Session: n.session(), Turn: waits, Text: "elsewhere", At: now()}, store.ErrFenced)
	n.refused(store.EditTurn{Session: s, Turn: bellcord.NewTurnID(), Text: "nobody's", At: now()}, store.ErrFenced)
	if got := n.record(waits).Prompt.Text; got != "a prompt" {
		b.Errorf("the record has %q", got)
	}
}

func scopeEnded(b *bench) {
	n, other := b.node(), b.node()
	request := stopBy("anna", bellcord.StopNow)
	before := request
	before.At = request.At.Add(-1)
	ends := func(cause bellcord.Cause, end bellcord.End) claimed {
		op := accept(other.session())
		op.At = before.At
		other.ok(op)
		t := claimed{op.Session, op.Turn, other.ok(claim(op.Session, op.Turn)).Fence}
		finish := t.ends(end)
		finish.Receipt.Cause = &cause
		other.ok(finish)
		return t
	}
	own := ends(request, bellcord.EndStopped)
	ends(before, bellcord.EndStopped)
	ends(request, bellcord.EndDone)
	r := n.ok(store.RecordStops{Cause: request})
	if got := idsOf(r.Records); !slices.Equal(got, []bellcord.TurnID{own.turn}) || r.Records[0].Receipt == nil {
		b.Errorf("the returned turns are %v, want %v", got, own.turn)
	}
	if len(r.Events) > 0 {
		b.Errorf("it added %v", kinds(r.Events))
	}
	if r := n.ok(store.RecordStops{Cause: request, Session: n.session()}); len(r.Records) > 0 {
		b.Errorf("another session's turns were returned: %v", idsOf(r.Records))
	}
	if r := other.ok(store.RecordStops{Cause: request}); len(r.Records) > 0 {
		b.Errorf("the node's own turns were returned: %v", idsOf(r.Records))
	}
}
