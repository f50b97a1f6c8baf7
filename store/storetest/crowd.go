package storetest

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var crowdChecks = []check{
	{"many writers on two nodes: no number twice, none left out, nothing lost", manyWriters},
	{"law 12: a node that writes without pause does not keep a stop waiting", fairness},
	{"readers see a growing log without holes while it is written", manyReaders},
}

func manyWriters(b *bench) {
	const writers, each = 4, 15
	n, other := b.node(), b.node()
	s := n.session()
	t := n.running(s)
	var mu sync.Mutex
	returned := map[int64]string{}
	write := func(n *node, text string, op store.AppendEvents) {
		for _, ev := range n.ok(op).Events {
			mu.Lock()
			if before, twice := returned[ev.Seq]; twice {
				b.Errorf("sequence number %d was given to both %q and %q", ev.Seq, before, text)
			}
			returned[ev.Seq] = text
			mu.Unlock()
		}
	}
	var all sync.WaitGroup
	for w := range writers {
		for name, node := range map[string]*node{"n": n, "other": other} {
			all.Go(func() {
				for i := range each {
					text := fmt.Sprintf("%s%d/%d", name, w, i)
					write(node, text, note(s, text))
				}
			})
		}
	}
	all.Go(func() {
		for i := range each {
			text := fmt.Sprintf("turn/%d", i)
			write(n, text, t.appendTexts(int64(i+1), text))
		}
	})
	all.Wait()
	inOrder(b, n.log(s)[2:], returned, (2*writers+1)*each)
}

// inOrder checks that the log contains the events returned to the writers, in the
// order of each writer.
func inOrder(b *bench, events []bellcord.Event, returned map[int64]string, want int) {
	b.Helper()
	if len(events) != want || len(returned) != want {
		b.Errorf("%d events and %d results, want %d", len(events), len(returned), want)
	}
	next := map[string]int{}
	for _, ev := range events {
		text := textOf(ev)
		if returned[ev.Seq] != text {
			b.Errorf("event %d is %q, but its writer got %q", ev.Seq, text, returned[ev.Seq])
		}
		writer, _, _ := strings.Cut(text, "/")
		if want := fmt.Sprintf("%s/%d", writer, next[writer]); text != want {
			b.Errorf("event %d is %q, want %q", ev.Seq, text, want)
		}
		next[writer]++
	}
}

func manyReaders(b *bench) {
	const total = 300
	n, other := b.node(), b.node()
	s := n.session()
	var all sync.WaitGroup
	for _, reader := range []*node{n, n, other, other} {
		all.Go(func() { reader.follow(s, total) })
	}
	for i := range total / 3 {
		n.ok(note(s, fmt.Sprint(3*i+1), fmt.Sprint(3*i+2), fmt.Sprint(3*i+3)))
	}
	all.Wait()
}

// follow reads a growing session until it has seen total events, which are
// written three at a time.
func (n *node) follow(s bellcord.SessionID, total int64) {
	for seen := int64(0); seen < total && !n.t.Failed(); {
		tail, err := n.Tail(n.t.Context(), s)
		if err != nil || tail < seen || tail%3 != 0 {
			n.t.Errorf("tail %d, error %v, after %d events", tail, err, seen)
		}
		events, err := n.Events(n.t.Context(), s, seen, 50)
		if err != nil || (tail > seen && len(events) == 0) {
			n.t.Errorf("%d events of %d after %d, error %v", len(events), tail, seen, err)
		}
		for _, ev := range events {
			if seen++; ev.Seq != seen || textOf(ev) != fmt.Sprint(seen) {
				n.t.Errorf("event %d has sequence number %d and text %q", seen, ev.Seq, textOf(ev))
			}
		}
	}
}

// fairness lets one process write as fast as it can, while another records a stop
// from time to time.
func fairness(b *bench) {
	n, busy := b.node(), b.process()
	t := busy.running(n.session())
	busy.sendLine("flood", t.session, t.turn, t.fence)
	var written atomic.Int64
	var reader sync.WaitGroup
	reader.Go(func() {
		for busy.answers.Scan() { // so that the child never blocks on its output
			written.Add(1)
		}
	})
	var waits []time.Duration
	for range 40 {
		for more := written.Load() + 10; written.Load() < more; {
			runtime.Gosched() // until the other node is writing at full speed again
		}
		began := time.Now()
		n.ok(recordStop(bellcord.NewTurnID(), stopBy("anna", bellcord.StopNow)))
		if waits = append(waits, time.Since(began)); slices.Max(waits) > time.Second {
			b.Errorf("a stop waited %v for a busy node", slices.Max(waits))
			break
		}
	}
	_ = busy.cmd.Process.Kill()
	reader.Wait()
	b.Logf("a stop while another node is busy: median %v, longest of %d %v", median(waits), len(waits), slices.Max(waits))
}
