package storetest

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var fenceChecks = []check{
	{"law 20: nothing is written under a fence that is not the turn's", staleFence},
	{"law 20: nothing is written to a turn that has ended", lateWrite},
	{"law 20: nothing is written to a turn that only waits", tooEarly},
	{"law 20: another node writes nothing, even if it guesses the fence", guessedFence},
	{"a turn's appends are counted, and one that skips a number is refused", skipped},
	{"a turn that never started may be ended by its own node, and by no other", endedUnstarted},
	{"an append answers with the stop on record", appendReports},
}

func staleFence(b *bench) {
	n := b.node()
	s := n.session()
	t := n.running(s)
	n.unchanged(s, func() {
		for _, fence := range []int64{t.fence - 1, t.fence + 1, -1} {
			n.refused(t.under(fence).appendTexts(1, "x"), store.ErrFenced)
			n.refused(t.under(fence).ends(bellcord.EndDone), store.ErrFenced)
			n.refused(t.under(fence).ends(bellcord.EndStopped), store.ErrFenced)
		}
	})
	n.ok(t.appendTexts(1, "x"))
}

func lateWrite(b *bench) {
	n := b.node()
	for _, end := range []bellcord.End{bellcord.EndDone, bellcord.EndStopped, bellcord.EndFailed, bellcord.EndLost} {
		s := n.session()
		t := n.running(s)
		n.ok(t.appendTexts(1, "x"))
		n.ok(t.ends(end))
		n.unchanged(s, func() {
			n.refused(t.appendTexts(2, "late"), store.ErrFenced)
			n.refused(t.under(t.fence+1).appendTexts(2, "late"), store.ErrFenced)
			other := bellcord.EndStopped
			if end == other {
				other = bellcord.EndDone
			}
			n.refused(t.ends(other), store.ErrFenced)
		})
		if r := n.record(t.turn); r.State != bellcord.StateEnded || r.Receipt == nil || r.Receipt.End != end {
			b.Errorf("the turn ended as %s, but the record is %+v", end, r)
		}
	}
}

func tooEarly(b *bench) {
	n := b.node()
	s := n.session()
	t := claimed{s, n.queued(s), n.record(n.queued(s)).Fence}
	n.unchanged(s, func() {
		n.refused(t.appendTexts(1, "early"), store.ErrFenced)
		n.refused(claimed{s, bellcord.NewTurnID(), 1}.appendTexts(1, "nobody"), store.ErrFenced)
		n.refused(claimed{s, bellcord.NewTurnID(), 1}.ends(bellcord.EndDone), store.ErrFenced)
	})
}

func guessedFence(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	t := n.running(s)
	n.unchanged(s, func() {
		other.refused(t.ends(bellcord.EndDone), store.ErrFenced)
		other.refused(t.appendTexts(1, "not mine"), store.ErrFenced)
	})
	n.ok(recordStop(t.turn, stopBy("anna", bellcord.StopNow)))
	n.unchanged(s, func() { other.refused(t.ends(bellcord.EndStopped), store.ErrFenced) })
}

func skipped(b *bench) {
	n := b.node()
	s := n.session()
	t := n.running(s)
	n.ok(t.appendTexts(1, "one"))
	n.unchanged(s, func() {
		if r := n.do(t.appendTexts(3, "three"))[0]; r.Err == nil {
			b.Error("an append that skips a number was accepted")
		}
	})
	n.ok(t.appendTexts(2, "two"))
}

func endedUnstarted(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	turn := n.queued(s)
	t := claimed{s, turn, n.record(turn).Fence}
	n.unchanged(s, func() { other.refused(t.ends(bellcord.EndStopped), store.ErrFenced) })
	n.ok(recordStop(turn, stopBy("anna", bellcord.StopNow)))
	n.refused(t.ends(bellcord.EndDone), store.ErrStopRecorded)
	n.ok(t.ends(bellcord.EndStopped))
	n.unchanged(s, func() { n.refused(claim(s, turn), store.ErrFenced) })
}

func appendReports(b *bench) {
	n, other := b.node(), b.node()
	t := n.running(n.session())
	if stop := n.ok(t.appendTexts(1, "one")).Stop; stop != nil {
		b.Errorf("an unexpected stop: %v", stop)
	}
	cause := stopBy("anna", bellcord.StopNow)
	other.ok(recordStop(t.turn, cause))
	if stop := n.ok(t.appendTexts(2, "two")).Stop; stop == nil || *stop != cause {
		b.Errorf("the append returned stop %v, want %v", stop, &cause)
	}
}
