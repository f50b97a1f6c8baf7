package storetest

import (
	"sync"

	"github.com/bellcord/bellcord"
)

var openingChecks = []check{
	{"many processes open a new place at once, and all can use it", openedByProcesses},
	{"many goroutines open a new place at once, and all can use it", openedByGoroutines},
	{"a place that is opened again has what was there", openedAgain},
}

func openedByProcesses(b *bench) {
	children := make([]*process, 8)
	for i := range children {
		children[i] = b.start()
	}
	for _, child := range children {
		child.number()
	}
	n := b.node()
	for _, child := range children {
		child.says(child.running(n.session()), 1)
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
			n.ok(n.running(n.session()).ends(bellcord.Done))
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
	n.do(t.says(1, "one", "two"), t.ends(bellcord.Done))
	before := kinds(n.log(s))
	for range 2 {
		if err := n.Close(); err != nil {
			b.Errorf("closing: %v", err)
		}
	}
	n = b.node()
	if after := kinds(n.log(s)); len(after) != 5 || len(before) != 5 {
		b.Errorf("the log was %v, it became %v", before, after)
	}
	if r := n.record(t.turn); r.State != bellcord.Over || r.Receipt == nil {
		b.Errorf("the turn is %+v", r)
	}
}
