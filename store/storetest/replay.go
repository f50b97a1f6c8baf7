package storetest

import (
	"reflect"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var replayChecks = []check{
	{"each op of a turn's life, committed twice, is answered as the first time and adds nothing", replayEach},
	{"a batch committed twice adds nothing", replayBatch},
	{"a batch committed twice is answered as the first time", replayBatchAnswers},
	{"a replayed op is answered with the events that it added", replayEvents},
	{"a replayed claim or append still tells of the stop on record", replayStop},
	{"an event of the session alone, committed twice, is there once", replayNote},
	{"a turn's id is used once", idOnce},
	{"a turn's id is used once, also at one and the same moment", idOnceAtOnce},
	{"a refused prompt does not touch its session", refusedTouchesNothing},
}

// life returns the ops of a turn from its prompt to its end, for the given fence
// of its claim.
func life(s bellcord.SessionID, fence int64) []store.Op {
	a := accept(s)
	c := claimed{s, a.Turn, fence}
	return []store.Op{
		a, claim(s, a.Turn), c.appendTexts(1, "one", "two"), c.appendTexts(2, "three"),
		recordStop(a.Turn, stopBy("anna", bellcord.StopAfterStep)), recordStop(a.Turn, stopBy("ben", bellcord.StopNow)), c.ends(bellcord.EndStopped),
	}
}

// firstFence returns the fence that this store assigns to a first claim.
func firstFence(n *node) int64 { return n.running(n.session()).fence }

func replayEach(b *bench) {
	n := b.node()
	s := n.session()
	for _, op := range life(s, firstFence(n)) {
		first := n.ok(op)
		n.unchanged(s, func() {
			for range 3 {
				sameAnswer(b, op, first, n.do(op)[0])
			}
		})
	}
}

// sameAnswer compares all but the events, which have a separate check.
func sameAnswer(b *bench, op store.Op, first, again store.Result) {
	b.Helper()
	first.Events, again.Events = nil, nil
	if first.Record, again.Record = nil, nil; !reflect.DeepEqual(first, again) {
		b.Errorf("%T returned %+v, and %+v the second time", op, first, again)
	}
}

func replayBatch(b *bench) {
	n := b.node()
	s := n.session()
	early := acceptAs(s, bellcord.NewTurnID())
	batch := append(life(s, firstFence(n)), recordStop(early.Turn, stopBy("early", bellcord.StopNow)), early)
	n.do(batch...)
	record := n.record(early.Turn)
	n.unchanged(s, func() {
		n.do(batch...)
		n.do(batch[3:]...)
		n.do(batch...)
	})
	if again := n.record(early.Turn); !reflect.DeepEqual(record, again) {
		b.Errorf("the turn changed from %+v to %+v", record, again)
	}
}

func replayBatchAnswers(b *bench) {
	n := b.node()
	s := n.session()
	batch := life(s, firstFence(n))
	first := n.do(batch...)
	for i, again := range n.do(batch...) {
		first[i].Stop, again.Stop = nil, nil // later ops of the batch may have set it
		sameAnswer(b, batch[i], first[i], again)
	}
}

func replayEvents(b *bench) {
	n := b.node()
	s := n.session()
	for _, op := range life(s, firstFence(n)) {
		first, again := n.ok(op), n.do(op)[0]
		if len(first.Events) != len(again.Events) {
			b.Errorf("%T returned %v, and %v the second time", op, kinds(first.Events), kinds(again.Events))
		}
	}
}

func replayStop(b *bench) {
	n := b.node()
	s := n.session()
	c := claimed{s, n.queued(s), firstFence(n)}
	n.ok(recordStop(c.turn, stopBy("anna", bellcord.StopAfterStep)))
	for _, op := range []store.Op{claim(s, c.turn), c.appendTexts(1, "one")} {
		sameAnswer(b, op, n.ok(op), n.ok(op))
	}
}

func replayNote(b *bench) {
	n := b.node()
	s := n.session()
	op := note(s, "a title")
	n.ok(op)
	n.unchanged(s, func() { n.ok(op) })
}

func idOnce(b *bench) {
	n, other := b.node(), b.node()
	elsewhere := n.session()
	for _, state := range []bellcord.TurnState{bellcord.StateQueued, bellcord.StateRunning, bellcord.StateEnded} {
		s := n.session()
		op := accept(s)
		n.ok(op)
		if state != bellcord.StateQueued {
			c := claimed{s, op.Turn, n.ok(claim(s, op.Turn)).Fence}
			if state == bellcord.StateEnded {
				n.ok(c.ends(bellcord.EndDone))
			}
		}
		op.At = op.At.Add(time.Second)
		n.unchanged(s, func() {
			n.refused(op, bellcord.ErrTurnExists)
			other.refused(op, bellcord.ErrTurnExists)
			op.Session = elsewhere
			other.refused(op, bellcord.ErrTurnExists)
		})
		if got := n.record(op.Turn).State; got != state {
			b.Errorf("a turn changed from %s to %s", state, got)
		}
	}
}

func idOnceAtOnce(b *bench) {
	n, other := b.node(), b.node()
	s, elsewhere := n.session(), n.session()
	op := accept(s)
	n.ok(op)
	other.refused(op, bellcord.ErrTurnExists)
	op.Session = elsewhere
	n.refused(op, bellcord.ErrTurnExists)
}

func refusedTouchesNothing(b *bench) {
	n := b.node()
	s := n.session()
	op := accept(s)
	n.ok(op)
	before, err := n.Session(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	op.At = op.At.Add(time.Hour)
	n.refused(op, bellcord.ErrTurnExists)
	sameSession(b, n, before)
}
