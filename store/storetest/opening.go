package storetest

import (
	"sync"

	"github.com/bellcord/bellcord"
)

var openingChecks = []check{
	{"many processes open a new place at once, and all can use it", openedByProcesses},
	{"many goroutines open a new place at once, and all can use it", openedByGoroutines},
	{"a place that is opened again has what was there", openedAgain},
	{"what other nodes wrote is news, whatever this one writes meanwhile", changes},
}

func openedByProcesses(b *bench) {
	children := make([]*process, 8)
	for i := range children {
		children[i] = b.startChild()
	}
	for _, child := range children {
		child.number()
	}
	n := b.node()
	for _, child := range children {
		child.appendTo(child.running(n.session()), 1)
	}
}

func openedByGoroutines(b *bench) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			opened, err := b.Open(b.place)
			if err != nil {
				b.Errorf("opening: %v", err)
				return
			}
			n := &node{b.T, opened}
			n.ok(n.running(n.session()).ends(bellcord.EndDone))
			if err := n.Close(); err != nil {
				b.Errorf("closing: %v", err)
			}
		})
	}
	all.Wait()
}

func openedAgain(b *bench) {
	n := b.node()
	s := n.session()
	t := n.running(s)
	n.do(t.appendTexts(1, "one", "two"), t.ends(bellcord.EndDone))
	before := kinds(n.log(s))
	for range 2 {
		if err := n.Close(); err != nil {
			b.Errorf("closing: %v", err)
		}
	}
	n = b.node()
	if after := kinds(n.log(s)); len(after) != 5 || len(before) != 5 {
		b.Errorf("the log changed from %v to %v", before, after)
	}
	if r := n.record(t.turn); r.State != bellcord.StateEnded || r.Receipt == nil {
		b.Errorf("the turn is %+v", r)
	}
}

func changes(b *bench) {
	n, other := b.node(), b.node()
	tell := func(n *node, want bool, when string) {
		b.Helper()
		got, err := n.Changed(b.Context())
		if err != nil || want && !got {
			b.Errorf("%s: news %v, %v", when, got, err)
		}
	}
	tell(n, true, "at first")
	s := n.session()
	tell(other, true, "another made a session")
	turn := n.running(s)
	n.ok(turn.appendTexts(1, "hello"))
	tell(other, true, "another wrote")
	other.ok(recordStop(turn.turn, stopBy("anna", bellcord.StopNow)))
	n.ok(turn.appendTexts(2, "on")) // the node's own transaction in between hides no change
	tell(n, true, "another asked for a stop")
	if events := n.log(s); countKind(events, "stop_requested") != 1 || countKind(events, "text_delta") != 2 {
		b.Errorf("the log is %v", kinds(events))
	}
}
