package storetest

import (
	"fmt"

	"github.com/bellcord/bellcord"
)

var crashChecks = []check{
	{"laws 23 and 28: what was acknowledged before kill -9 is there afterwards", acknowledgedStays},
}

func acknowledgedStays(b *bench) {
	n := b.node()
	s := n.session()
	var total int
	for round := range 10 {
		child := b.process()
		t := child.running(s)
		child.sendLine("flood", s, t.turn, t.fence)
		var acknowledged []int64
		for range 1 + 7*round {
			acknowledged = append(acknowledged, child.number())
		}
		acknowledged = append(acknowledged, child.last()...)
		total += len(acknowledged)

		events := n.log(s)
		for i, seq := range acknowledged {
			if seq > int64(len(events)) {
				b.Fatalf("round %d: event %d was acknowledged, but the log ends at %d", round, seq, len(events))
			}
			if ev := events[seq-1]; ev.Turn != t.turn || textOf(ev) != fmt.Sprint(i+1) {
				b.Fatalf("round %d: event %d is %q, want %d", round, seq, textOf(ev), i+1)
			}
		}
		r, ok := n.takeOver()[t.turn]
		if !ok {
			b.Fatalf("round %d: the turn was not taken over", round)
		}
		n.ok(t.under(r.Fence).ends(bellcord.EndLost))
	}
	b.Logf("%d acknowledged appends survived 10 kills", total)
}
