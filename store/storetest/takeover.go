package storetest

import (
	"fmt"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var takeOverChecks = []check{
	{"a live node's turns are never taken", alive},
	{"a paused node is alive: its turns stay its own, and it goes on where it was", paused},
	{"law 33: a killed node's turns are taken at once, under raised fences", killed},
	{"law 32: a stop on record outlives the node that was to heed it", stopOutlives},
	{"of two nodes that take over at once, each turn goes to one", takenOnce},
	{"law 36: the session of a dead node stays taken until its turn has ended", stillBusy},
	{"a node that took over a queued turn can run it, and claim it twice", takenAndRun},
	{"a node that took over a running turn can write to it", takenAndWritten},
	{"a node that leaves in order leaves nothing to take", left},
	{"law 33: a node that leaves with turns unended leaves them to others", leftBehind},
}

func alive(b *bench) {
	n, other, child := b.node(), b.node(), b.process()
	s := n.session()
	own, foreign := n.running(s), child.running(n.session())
	n.queued(s)
	child.queued(s)
	for range 3 {
		if taken := other.takeOver(); len(taken) > 0 {
			b.Fatalf("turns were taken from a live node: %v", taken)
		}
	}
	n.ok(own.appendTexts(1, "alive"))
	child.appendTo(foreign, 1)
}

func paused(b *bench) {
	n, child := b.node(), b.process()
	t := child.running(n.session())
	child.appendTo(t, 1)
	child.pause()
	if taken := n.takeOver(); len(taken) > 0 {
		b.Errorf("turns were taken from a paused node: %v", taken)
	}
	child.resume()
	if seq := child.appendTo(t, 2); seq != 4 {
		b.Errorf("the resumed node's event has sequence number %d, want 4", seq)
	}
}

func killed(b *bench) {
	n, child := b.node(), b.process()
	s := n.session()
	runs, waits := child.running(s), child.queued(s)
	before := n.record(waits).Fence
	child.appendTo(runs, 1)
	child.kill()
	taken := n.takeOver()
	if r := taken[runs.turn]; r.State != bellcord.StateRunning || r.Fence <= runs.fence || r.Session != s {
		b.Errorf("the running turn: %+v", r)
	}
	if r := taken[waits]; r.State != bellcord.StateQueued || r.Fence <= before || r.Prompt.Text != "a prompt" {
		b.Errorf("the queued turn: %+v", r)
	}
	if again := n.takeOver(); len(taken) != 2 || len(again) != 2 {
		b.Errorf("took %d turns, then %d: turns must be returned until they have ended", len(taken), len(again))
	}
	n.unchanged(s, func() {
		n.refused(runs.appendTexts(2, "late"), store.ErrFenced)
		n.refused(runs.ends(bellcord.EndDone), store.ErrFenced)
	})
	n.ok(runs.under(taken[runs.turn].Fence).ends(bellcord.EndLost))
	n.ok(claimed{s, waits, taken[waits].Fence}.ends(bellcord.EndLost))
	if after := n.takeOver(); len(after) > 0 {
		b.Errorf("%d turns were returned again although they have ended", len(after))
	}
}

func stopOutlives(b *bench) {
	n, child := b.node(), b.process()
	t := child.running(n.session())
	n.ok(recordStop(t.turn, stopBy("anna", bellcord.StopNow)))
	expectStops(b, n)
	child.kill()
	r := n.takeOver()[t.turn]
	if requester(r.Stop) != "anna" {
		b.Errorf("the taken turn: %+v", r)
	}
	expectStops(b, n, t.turn)
	n.refused(t.under(r.Fence).ends(bellcord.EndDone), store.ErrStopRecorded)
	n.ok(t.under(r.Fence).ends(bellcord.EndStopped))
}

func takenOnce(b *bench) {
	nodes := []*node{b.node(), b.node(), b.node()}
	child, another := b.process(), b.process()
	want := map[bellcord.TurnID]int{}
	for range 5 {
		want[child.queued(nodes[0].session())] = 0
		want[another.running(nodes[0].session()).turn] = 0
	}
	child.kill()
	another.kill()
	taken := make([]map[bellcord.TurnID]store.TurnRecord, len(nodes))
	var all sync.WaitGroup
	for i, n := range nodes {
		all.Go(func() { taken[i] = n.takeOver() })
	}
	all.Wait()
	for i, n := range nodes {
		for id, r := range taken[i] {
			want[id]++
			n.ok(claimed{r.Session, id, r.Fence}.ends(bellcord.EndLost))
		}
	}
	for id, times := range want {
		if times != 1 {
			b.Errorf("turn %s was taken %d times", id, times)
		}
	}
}

func stillBusy(b *bench) {
	n, child := b.node(), b.process()
	s := n.session()
	t, next := child.running(s), n.queued(s)
	child.kill()
	n.refused(claim(s, next), bellcord.ErrBusy)
	r := n.takeOver()[t.turn]
	n.refused(claim(s, next), bellcord.ErrBusy)
	n.ok(t.under(r.Fence).ends(bellcord.EndLost))
	n.ok(claim(s, next))
}

func takenAndRun(b *bench) {
	n, child := b.node(), b.process()
	s := n.session()
	waits := child.queued(s)
	child.kill()
	n.takeOver()
	op := claim(s, waits)
	fence := n.ok(op).Fence
	n.unchanged(s, func() {
		if again := n.ok(op).Fence; again != fence {
			b.Errorf("fence %d, then %d", fence, again)
		}
	})
	n.ok(claimed{s, waits, fence}.appendTexts(1, "run at last"))
}

func takenAndWritten(b *bench) {
	n, child := b.node(), b.process()
	t := child.running(n.session())
	for i := range int64(3) {
		child.appendTo(t, i+1)
	}
	child.kill()
	t.fence = n.takeOver()[t.turn].Fence
	n.ok(t.appendTexts(1, "what the new owner says"))
	if events := n.log(t.session); textOf(events[len(events)-1]) != "what the new owner says" {
		b.Errorf("the append of the new owner succeeded, but the log ends with %q", textOf(events[len(events)-1]))
	}
}

func left(b *bench) {
	n := b.node()
	for i := range 3 {
		leaver := b.node()
		t := leaver.running(n.session())
		leaver.ok(t.ends(bellcord.EndDone))
		if err := leaver.Close(); err != nil {
			b.Fatal(err)
		}
		if taken := n.takeOver(); len(taken) > 0 {
			b.Errorf("node %d left turns to take: %v", i, taken)
		}
		if _, err := leaver.Commit(b.Context(), []store.Op{accept(t.session)}); err == nil {
			b.Error("a closed node still commits")
		}
	}
}

func leftBehind(b *bench) {
	n, leaver := b.node(), b.node()
	t := leaver.running(n.session())
	if err := leaver.Close(); err != nil {
		b.Fatal(err)
	}
	var r store.TurnRecord
	for tries := 0; r.ID == "" && tries < 10_000; tries++ {
		r = n.takeOver()[t.turn] // a child that another check is starting shares this process's locks until its exec
	}
	n.ok(t.under(r.Fence).ends(bellcord.EndLost))
	if got := fmt.Sprint(kinds(n.log(t.session))); got != "[turn_accepted turn_started turn_ended]" {
		b.Errorf("the log is %v", got)
	}
}
