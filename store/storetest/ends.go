package storetest

import (
	"errors"
	"reflect"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var endChecks = []check{
	{"law 8: done and failed lose to a stop on record, and the refusal says whose", stopFirst},
	{"law 8: a stop that waits for a step does not make done lose", afterStepLoses},
	{"law 8: of many ends, from many goroutines, one is written", oneEnd},
	{"law 8: stop and completion race, and the log agrees with every answer", stopRace},
	{"the receipt is kept as it was written", receiptKept},
}

func stopFirst(b *bench) {
	n, other := b.node(), b.node()
	for _, mode := range []bellcord.StopMode{bellcord.StopNow, bellcord.StopForce, ""} {
		s := n.session()
		t := n.running(s)
		cause := stopBy("anna", mode)
		other.ok(recordStop(t.turn, cause))
		n.unchanged(s, func() {
			for _, end := range []bellcord.End{bellcord.EndDone, bellcord.EndFailed} {
				if r := n.refused(t.ends(end), store.ErrStopRecorded); r.Stop == nil || *r.Stop != cause {
					b.Errorf("%s was refused because of %v, want %v", end, r.Stop, &cause)
				}
			}
		})
		n.ok(t.ends(bellcord.EndStopped))
	}
}

func afterStepLoses(b *bench) {
	n := b.node()
	for _, end := range []bellcord.End{bellcord.EndDone, bellcord.EndFailed, bellcord.EndStopped} {
		t := n.running(n.session())
		n.ok(recordStop(t.turn, stopBy("anna", bellcord.StopAfterStep)))
		n.ok(t.ends(end))
		if r := n.record(t.turn); r.Receipt == nil || r.Receipt.End != end || requester(r.Stop) != "anna" {
			b.Errorf("ended as %s, but the record is %+v", end, r)
		}
	}
}

func oneEnd(b *bench) {
	n := b.node()
	s := n.session()
	t := n.running(s)
	ops := []store.FinishTurn{t.ends(bellcord.EndDone), t.ends(bellcord.EndFailed), t.ends(bellcord.EndStopped), t.ends(bellcord.EndLost)}
	won := make([]bool, len(ops))
	var all sync.WaitGroup
	for i, op := range ops {
		all.Go(func() {
			r := n.do(op)[0]
			if won[i] = r.Err == nil; !won[i] && !errors.Is(r.Err, store.ErrFenced) {
				b.Errorf("%s: %v", op.Receipt.End, r.Err)
			}
		})
	}
	all.Wait()
	written := n.record(t.turn).Receipt
	for i, op := range ops {
		if is := written != nil && written.End == op.Receipt.End; is != won[i] {
			b.Errorf("%s: committed %t, in the record %t", op.Receipt.End, won[i], is)
		}
	}
	if got := countKind(n.log(s), "turn_ended"); got != 1 {
		b.Errorf("the log has %d ends", got)
	}
}

func stopRace(b *bench) {
	n, other := b.node(), b.node()
	won := map[bellcord.End]int{}
	for range 15 {
		t := n.running(n.session())
		won[raceOnce(b, n, other, t)]++
	}
	b.Logf("races won by: %v", won)
}

// raceOnce lets two nodes record a stop while the turn completes, and returns how
// the turn ended.
func raceOnce(b *bench, n, other *node, t claimed) bellcord.End {
	var finish store.Result
	asks := make([]store.Result, 4)
	start := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		<-start
		finish = n.do(t.ends(bellcord.EndDone))[0]
	})
	for i := range asks {
		from := []*node{n, other}[i%2]
		all.Go(func() {
			<-start
			asks[i] = from.ok(recordStop(t.turn, stopBy("anna", bellcord.StopNow)))
		})
	}
	close(start)
	all.Wait()
	end := bellcord.EndDone
	if errors.Is(finish.Err, store.ErrStopRecorded) {
		end = bellcord.EndStopped
		n.ok(t.ends(end))
	}
	agree(b, n, t, end, finish, asks)
	return end
}

func agree(b *bench, n *node, t claimed, end bellcord.End, finish store.Result, asks []store.Result) {
	b.Helper()
	wantStops := 0
	if end == bellcord.EndStopped {
		wantStops = 1
	} else if finish.Err != nil {
		b.Errorf("the completion was refused: %v", finish.Err)
	}
	for _, r := range asks {
		switch lost := r.Record != nil && r.Record.State == bellcord.StateEnded; {
		case r.Record == nil:
			b.Error("a stop found no turn")
		case lost != (end == bellcord.EndDone), lost != (r.Record.Receipt != nil):
			b.Errorf("the turn ended as %s, but the stop returned %+v", end, r.Record)
		case !lost && !reflect.DeepEqual(r.Stop, finish.Stop):
			b.Errorf("the end returned stop %v, the stop returned %v", finish.Stop, r.Stop)
		}
	}
	events := n.log(t.session)
	if ends, stops := countKind(events, "turn_ended"), countKind(events, "stop_requested"); ends != 1 || stops != wantStops {
		b.Errorf("ended as %s: the log is %v", end, kinds(events))
	}
	if last, ok := events[len(events)-1].Body.(bellcord.TurnEnded); !ok || last.Receipt.End != end {
		b.Errorf("ended as %s: the log is %v", end, kinds(events))
	}
}

func receiptKept(b *bench) {
	n, reader := b.node(), b.node()
	t := n.running(n.session())
	op := t.ends(bellcord.EndDone)
	cause := stopBy("anna", bellcord.StopAfterStep)
	op.Receipt = everyField(now(), &cause, bellcord.Usage{InputTokens: 1, OutputTokens: 2})
	op.Receipt.End = bellcord.EndDone
	n.ok(op)
	got := reader.record(t.turn).Receipt
	if got != nil {
		got.LogHead = nil // the store adds it: see chainChecks
	}
	if got == nil || !reflect.DeepEqual(*got, op.Receipt) {
		b.Errorf("written:\n%+v\nread:\n%+v", op.Receipt, got)
	}
}
