package storetest

import (
	"encoding/json"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var batchChecks = []check{
	{"every op of a batch is answered on its own, and a refused one does not hold up the rest", answeredAlone},
	{"later ops of a batch see what earlier ones did", seenWithin},
	{"a batch of nothing is nothing", nothing},
	{"a body that cannot be written down does not hold up the rest", unwritable},
	{"a claim that names the wrong session does not hold up the rest", misnamed},
}

func answeredAlone(b *bench) {
	n := b.node()
	s := n.session()
	t := n.running(s)
	waits := n.queued(s)
	for i, c := range []struct {
		op   store.Op
		want error
	}{
		{t.appendTexts(1, "one"), nil},
		{t.under(t.fence-1).appendTexts(2, "stale"), store.ErrFenced},
		{claim(s, waits), bellcord.ErrBusy},
		{accept(bellcord.NewSessionID()), bellcord.ErrNoSession},
		{recordStop(t.turn, stopBy("anna", bellcord.StopNow)), nil},
		{t.ends(bellcord.EndDone), store.ErrStopRecorded},
		{t.appendTexts(2, "two"), nil},
		{t.ends(bellcord.EndStopped), nil},
		{t.appendTexts(3, "late"), store.ErrFenced},
		{claim(s, waits), nil},
	} {
		if got := n.do(c.op)[0].Err; !errors.Is(got, c.want) {
			b.Errorf("op %d alone: %v, want %v", i, got, c.want)
		}
	}
	wholeBatch(b, n)
}

// wholeBatch commits the same ops in one commit.
func wholeBatch(b *bench, n *node) {
	s := n.session()
	t := n.running(s)
	results := n.do(t.under(t.fence+1).appendTexts(1, "stale"), t.appendTexts(1, "one"), accept(bellcord.NewSessionID()), t.appendTexts(2, "two"))
	for i, want := range []error{store.ErrFenced, nil, bellcord.ErrNoSession, nil} {
		if !errors.Is(results[i].Err, want) {
			b.Errorf("op %d of the batch: %v, want %v", i, results[i].Err, want)
		}
	}
	if got := countKind(n.log(s), "text_delta"); got != 2 {
		b.Errorf("%d of 2 appends are in the log", got)
	}
}

func seenWithin(b *bench) {
	n := b.node()
	at := now()
	s := bellcord.Session{ID: bellcord.NewSessionID(), Created: at, Updated: at}
	for i, r := range n.do(append([]store.Op{store.PutSession{Session: s}}, life(s.ID, firstFence(n))...)...) {
		if r.Err != nil {
			b.Errorf("op %d: %v", i, r.Err)
		}
	}
	if got := countKind(n.log(s.ID), "turn_ended"); got != 1 {
		b.Errorf("%d ends", got)
	}
}

func nothing(b *bench) {
	n := b.node()
	n.do()
	s := n.session()
	t := n.running(s)
	n.unchanged(s, func() { n.ok(t.appendTexts(1)) })
	n.ok(t.appendTexts(2, "two"))
}

func unwritable(b *bench) {
	n := b.node()
	s := n.session()
	t := n.running(s)
	bad := t.appendTexts(1)
	bad.Bodies = []bellcord.Body{bellcord.ToolCallRequested{Call: "c", Arguments: json.RawMessage(`{"half":`), ArgumentError: "cut off"}}
	if results := n.do(bad, note(s, "innocent")); results[1].Err != nil {
		b.Errorf("the other op: %v", results[1].Err)
	}
	if got := countKind(n.log(s), "session_updated"); got != 1 {
		b.Errorf("the other op is %d times in the log", got)
	}
}

func misnamed(b *bench) {
	n := b.node()
	s, elsewhere := n.session(), n.session()
	n.running(s)
	waits := n.queued(s)
	n.unchanged(elsewhere, func() {
		if results := n.do(claim(elsewhere, waits), note(s, "innocent")); results[0].Err == nil || results[1].Err != nil {
			b.Errorf("the claim: %v, the other op: %v", results[0].Err, results[1].Err)
		}
	})
}
