package storetest

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/storecheck"
)

// chainChecks apply to a store that implements store.ChainReader. For others
// they prove nothing, and no receipt of theirs may have a head.
var chainChecks = []check{
	{"the hash of each event covers the event before it, for every writer", chained},
	{"a receipt has the head of the log before the turn's end", headOnReceipt},
	{"an end that is committed again keeps its receipt and its head", headKept},
}

func chained(b *bench) {
	one, other := b.node(), b.node()
	if _, is := one.Node.(store.ChainReader); !is {
		return
	}
	first, second := one.session(), one.session()
	t, u := one.running(first), other.running(second)
	one.do(t.appendTexts(1, "one", "two"), note(first, "three"))
	other.do(u.appendTexts(1, "four"), note(first, "five"))
	one.do(note(second, "six"), t.appendTexts(2, "seven"))
	one.ok(t.ends(bellcord.EndDone))
	other.ok(u.ends(bellcord.EndDone))
	report, err := storecheck.Run(b.Context(), one.Node)
	if err != nil || len(report.Problems) > 0 {
		b.Errorf("the check found %q, error %v", report.Problems, err)
	}
	if report.Chained != report.Events || report.Events == 0 {
		b.Errorf("%d of %d events are chained", report.Chained, report.Events)
	}
}

func headOnReceipt(b *bench) {
	n := b.node()
	s := n.session()
	t := n.running(s)
	n.do(t.appendTexts(1, "one"), note(s, "two"))
	result := n.ok(t.ends(bellcord.EndDone))
	stored := n.record(t.turn).Receipt
	chain, is := n.Node.(store.ChainReader)
	if !is {
		if stored.LogHead != nil {
			b.Errorf("the store does not chain its events, and the receipt has the head %v", stored.LogHead)
		}
		return
	}
	events, err := chain.StoredEvents(b.Context(), s, 0, 100)
	if err != nil || len(events) < 2 {
		b.Fatalf("%d events, error %v", len(events), err)
	}
	before := events[len(events)-2] // the last is the end
	if stored.LogHead == nil || stored.LogHead.Seq != before.Seq || stored.LogHead.Hash != before.Hash {
		b.Errorf("the receipt has the head %v, want %d %s", stored.LogHead, before.Seq, before.Hash)
	}
	ended, is := result.Events[0].Body.(bellcord.TurnEnded)
	if !is || ended.Receipt.LogHead == nil || *ended.Receipt.LogHead != *stored.LogHead {
		b.Errorf("the result has the event %+v", result.Events[0])
	}
}

func headKept(b *bench) {
	n := b.node()
	t := n.running(n.session())
	end := t.ends(bellcord.EndDone)
	n.ok(end)
	first := n.record(t.turn).Receipt.LogHead
	n.do(note(t.session, "later"))
	n.ok(end)
	if again := n.record(t.turn).Receipt.LogHead; (first == nil) != (again == nil) || first != nil && *first != *again {
		b.Errorf("the head was %v, and is %v", first, again)
	}
}
