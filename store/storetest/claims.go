package storetest

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var claimChecks = []check{
	{"law 36: a session runs one turn at a time, whichever node asks", oneAtATime},
	{"law 36: of many claims for one session, from many nodes, one wins at any time", claimRace},
	{"a turn that another node accepted cannot be claimed", notYours},
	{"a turn that has ended or never was cannot be claimed", notThere},
	{"a claim raises the fence, and the record shows it", fenced},
	{"sessions do not wait for each other", sideBySide},
}

func oneAtATime(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	own, foreign := n.queued(s), other.queued(s)
	c := claimed{s, own, n.ok(claim(s, own)).Fence}
	n.unchanged(s, func() { other.refused(claim(s, foreign), bellcord.ErrBusy) })
	next := n.queued(s)
	n.refused(claim(s, next), bellcord.ErrBusy)
	n.ok(c.ends(bellcord.EndDone))
	other.ok(claim(s, foreign))
	n.refused(claim(s, next), bellcord.ErrBusy)
}

func claimRace(b *bench) {
	nodes := []*node{b.node(), b.node(), b.node()}
	s := nodes[0].session()
	var running atomic.Int32
	var all sync.WaitGroup
	free := bell{rung: make(chan struct{})}
	for _, n := range nodes {
		for range 3 {
			all.Go(func() {
				turn := n.queued(s)
				c := claimed{s, turn, n.insist(claim(s, turn), &free)}
				if others := running.Add(1) - 1; others != 0 {
					b.Errorf("%d other turns are running", others)
				}
				n.ok(c.appendTexts(1, "working"))
				running.Add(-1)
				n.ok(c.ends(bellcord.EndDone))
				free.ring()
			})
		}
	}
	all.Wait()
	alternate(b, nodes[0].log(s))
}

// alternate checks that the turns of a session do not overlap.
func alternate(b *bench, events []bellcord.Event) {
	b.Helper()
	var runs bellcord.TurnID
	for _, ev := range events {
		switch ev.Body.(type) {
		case bellcord.TurnStarted:
			if runs != "" {
				b.Errorf("event %d: a turn started while another one was running", ev.Seq)
			}
			runs = ev.Turn
		case bellcord.TextDelta, bellcord.TurnEnded:
			if runs != ev.Turn {
				b.Errorf("event %d belongs to a turn that is not running", ev.Seq)
			}
			if ev.Body.Kind() == "turn_ended" {
				runs = ""
			}
		}
	}
}

// insist retries a claim whenever a session becomes free, until it succeeds.
func (n *node) insist(op store.ClaimTurn, free *bell) int64 {
	for {
		freed := free.next()
		r := n.do(op)[0]
		if !errors.Is(r.Err, bellcord.ErrBusy) {
			if r.Err != nil {
				n.t.Errorf("claim: %v", r.Err)
			}
			return r.Fence
		}
		<-freed
	}
}

// bell wakes all goroutines that wait for its next ring.
type bell struct {
	mu   sync.Mutex
	rung chan struct{}
}

func (b *bell) next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.rung
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.rung)
	b.rung = make(chan struct{})
}

func notYours(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	turn := n.queued(s)
	n.unchanged(s, func() { other.refused(claim(s, turn), store.ErrFenced) })
	n.ok(claim(s, turn))
	n.unchanged(s, func() { other.refused(claim(s, turn), store.ErrFenced) })
}

func notThere(b *bench) {
	n := b.node()
	s := n.session()
	t := n.running(s)
	n.ok(t.ends(bellcord.EndDone))
	n.unchanged(s, func() {
		again := claim(s, t.turn)
		again.At = again.At.Add(1)
		n.refused(again, store.ErrFenced)
		n.refused(claim(s, bellcord.NewTurnID()), store.ErrFenced)
	})
}

func fenced(b *bench) {
	n := b.node()
	s := n.session()
	waits := n.queued(s)
	before := n.record(waits)
	if r := before; r.State != bellcord.StateQueued || r.Session != s || r.Prompt.Text != "a prompt" {
		b.Errorf("a queued turn: %+v", r)
	}
	fence := n.ok(claim(s, waits)).Fence
	if r := n.record(waits); r.State != bellcord.StateRunning || r.Fence != fence || fence <= before.Fence {
		b.Errorf("a turn under fence %d: %+v", fence, r)
	}
}

func sideBySide(b *bench) {
	n, other := b.node(), b.node()
	for range 3 {
		n.running(n.session())
		other.running(n.session())
	}
}
