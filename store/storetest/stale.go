package storetest

import (
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var staleChecks = []check{
	{"law 20: a node taken for dead writes nothing when it wakes", woken},
	{"law 20: a node taken for dead while it writes loses nothing that was acknowledged and adds nothing later", takenMidway},
	{"law 20: another process that is taken for dead while it writes is refused, and loses nothing that was acknowledged", takenFromProcess},
	{"law 20: a node taken for dead starts no turn, old or new", startsNothing},
	{"law 33: what a node taken for dead accepts is refused or taken over", acceptedStale},
}

// forsaken returns a node that all later nodes take over, although it is alive.
func (b *bench) forsaken(prepare func(*node)) *node {
	b.Helper()
	if b.Forsake == nil {
		b.Skip("this store cannot expire the lease of a live node")
	}
	stale := b.node()
	prepare(stale)
	b.Forsake(b.T, b.place)
	return stale
}

func woken(b *bench) {
	var runs claimed
	var waits bellcord.TurnID
	stale := b.forsaken(func(n *node) {
		s := n.session()
		runs, waits = n.running(s), n.queued(s)
		n.ok(runs.appendTexts(1, "before"))
	})
	n := b.node()
	taken := n.takeOver()
	if len(taken) != 2 {
		b.Fatalf("taken: %v", taken)
	}
	n.unchanged(runs.session, func() {
		stale.refused(runs.appendTexts(2, "after"), store.ErrFenced)
		stale.refused(runs.ends(bellcord.EndDone), store.ErrFenced)
		stale.refused(runs.under(taken[runs.turn].Fence).ends(bellcord.EndStopped), store.ErrFenced)
		stale.refused(claimed{runs.session, waits, 0}.ends(bellcord.EndStopped), store.ErrFenced)
	})
	n.ok(runs.under(taken[runs.turn].Fence).ends(bellcord.EndLost))
	n.unchanged(runs.session, func() {
		stale.refused(runs.appendTexts(2, "after"), store.ErrFenced)
		stale.refused(claim(runs.session, waits), store.ErrFenced)
	})
	expectStops(b, stale)
}

func takenMidway(b *bench) {
	var t claimed
	stale := b.forsaken(func(n *node) { t = n.running(n.session()) })
	n := b.node()
	var acknowledged int
	midway, taken := make(chan struct{}), make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range 60 {
			if i == 20 {
				close(midway)
			}
			if stale.do(t.appendTexts(int64(i+1), "x"))[0].Err != nil {
				return
			}
			acknowledged++
		}
		<-taken
		stale.refused(t.appendTexts(61, "x"), store.ErrFenced)
	})
	<-midway
	r := n.takeOver()[t.turn]
	n.ok(t.under(r.Fence).ends(bellcord.EndLost))
	close(taken)
	writer.Wait()
	events := n.log(t.session)
	if got := countKind(events, "text_delta"); got != acknowledged {
		b.Errorf("%d appends were acknowledged, but %d are in the log", acknowledged, got)
	}
	if last := events[len(events)-1].Body.Kind(); last != "turn_ended" {
		b.Errorf("the log ends with %s", last)
	}
}

// takenFromProcess is takenMidway with a node that shares nothing with the other
// one but the place.
func takenFromProcess(b *bench) {
	if b.Forsake == nil {
		b.Skip("this store cannot expire the lease of a live node")
	}
	child := b.process()
	t := child.running(b.node().session())
	child.sendLine("flood", t.session, t.turn, t.fence)
	acknowledged := 0
	for ; acknowledged < 20; acknowledged++ {
		child.number()
	}
	b.Forsake(b.T, b.place)
	n := b.node()
	r := n.takeOver()[t.turn]
	acknowledged += child.untilRefused(store.ErrFenced) // while the turn still runs, under another fence
	n.ok(t.under(r.Fence).ends(bellcord.EndLost))
	child.sendLine("append", t.session, t.turn, t.fence, acknowledged+1)
	child.untilRefused(store.ErrFenced)
	events := n.log(t.session)
	if got := countKind(events, "text_delta"); got != acknowledged {
		b.Errorf("%d appends were acknowledged, but %d are in the log", acknowledged, got)
	}
	if last := events[len(events)-1].Body.Kind(); last != "turn_ended" {
		b.Errorf("the log ends with %s", last)
	}
}

func startsNothing(b *bench) {
	var old bellcord.TurnID
	var s bellcord.SessionID
	stale := b.forsaken(func(n *node) {
		s = n.session()
		old = n.queued(s)
	})
	n := b.node()
	n.takeOver()
	stale.refused(claim(s, old), store.ErrFenced)
	young := accept(s)
	if stale.do(young)[0].Err == nil {
		stale.refused(claim(s, young.Turn), store.ErrFenced)
	}
	n.ok(claim(s, old))
}

func acceptedStale(b *bench) {
	stale := b.forsaken(func(*node) {})
	n := b.node()
	n.takeOver()
	op := accept(n.session())
	if stale.do(op)[0].Err != nil {
		return
	}
	if err := stale.Close(); err != nil {
		b.Fatal(err)
	}
	if taken := n.takeOver(); len(taken) != 1 {
		b.Errorf("a turn stays queued forever: %+v", n.record(op.Turn))
	}
}
