package storetest

import (
	"errors"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// bench runs one check on its own place.
type bench struct {
	*testing.T
	Harness
	place string
}

// node opens another node, which is closed when the test ends.
func (b *bench) node() *node {
	b.Helper()
	opened, err := b.Open(b.place)
	if err != nil {
		b.Fatalf("opening a node: %v", err)
	}
	b.Cleanup(func() {
		if err := opened.Close(); err != nil {
			b.Errorf("closing a node: %v", err)
		}
	})
	return &node{b.T, opened}
}

// node commits ops to a store as one process. Its methods report failures without
// ending the test, so that any goroutine may call them.
type node struct {
	t *testing.T
	Node
}

// do commits the ops. The commit must succeed, but ops may be rejected.
func (n *node) do(ops ...store.Op) []store.Result {
	n.t.Helper()
	results, err := n.Commit(n.t.Context(), ops)
	if err != nil || len(results) != len(ops) {
		n.t.Errorf("commit of %d ops: %d results, error %v", len(ops), len(results), err)
		return make([]store.Result, len(ops))
	}
	return results
}

// ok commits an op that must not be rejected.
func (n *node) ok(op store.Op) store.Result {
	n.t.Helper()
	r := n.do(op)[0]
	if r.Err != nil {
		n.t.Errorf("%T was refused: %v", op, r.Err)
	}
	return r
}

// refused commits an op that must be rejected with the given error.
func (n *node) refused(op store.Op, why error) store.Result {
	n.t.Helper()
	r := n.do(op)[0]
	if !errors.Is(r.Err, why) {
		n.t.Errorf("%T was answered with error %v, want %v", op, r.Err, why)
	}
	if len(r.Events) > 0 {
		n.t.Errorf("a refused %T added %d events", op, len(r.Events))
	}
	return r
}

// session creates a session.
func (n *node) session() bellcord.SessionID {
	n.t.Helper()
	at := now()
	s := bellcord.Session{ID: bellcord.NewSessionID(), Dir: "/tmp", Created: at, Updated: at}
	n.ok(store.PutSession{Session: s})
	return s.ID
}

// queued accepts a new turn.
func (n *node) queued(s bellcord.SessionID) bellcord.TurnID {
	n.t.Helper()
	op := accept(s)
	n.ok(op)
	return op.Turn
}

// running accepts and claims a new turn.
func (n *node) running(s bellcord.SessionID) claimed {
	n.t.Helper()
	turn := n.queued(s)
	return claimed{s, turn, n.ok(claim(s, turn)).Fence}
}

func (n *node) record(id bellcord.TurnID) store.TurnRecord {
	n.t.Helper()
	r, err := n.Turn(n.t.Context(), id)
	if err != nil {
		n.t.Errorf("reading turn %s: %v", id, err)
	}
	return r
}

// log reads a whole session in chunks and checks that it has no gaps.
func (n *node) log(s bellcord.SessionID) []bellcord.Event {
	n.t.Helper()
	var all []bellcord.Event
	for {
		events, err := n.Events(n.t.Context(), s, int64(len(all)), 500)
		if err != nil {
			n.t.Errorf("reading events: %v", err)
		}
		for i, ev := range events {
			if want := int64(len(all) + i + 1); ev.Seq != want {
				n.t.Errorf("event %d has sequence number %d", want, ev.Seq)
				return all
			}
		}
		if all = append(all, events...); len(events) == 0 {
			return all
		}
	}
}

// unchanged runs f and checks that it adds nothing to a session's log.
func (n *node) unchanged(s bellcord.SessionID, f func()) {
	n.t.Helper()
	before := n.log(s)
	f()
	if after := n.log(s); !reflect.DeepEqual(after, before) {
		n.t.Errorf("the log changed from %v to %v", kinds(before), kinds(after))
	}
}

// takeOver returns the turns that the node takes over, by ID.
func (n *node) takeOver() map[bellcord.TurnID]store.TurnRecord {
	n.t.Helper()
	records, err := n.TakeOver(n.t.Context())
	if err != nil {
		n.t.Errorf("take-over: %v", err)
	}
	taken := map[bellcord.TurnID]store.TurnRecord{}
	for _, r := range records {
		taken[r.ID] = r
	}
	if len(taken) != len(records) {
		n.t.Errorf("%d distinct turns in %d records", len(taken), len(records))
	}
	return taken
}

func kinds(events []bellcord.Event) []string {
	var all []string
	for _, ev := range events {
		all = append(all, ev.Body.Kind())
	}
	return all
}

func countKind(events []bellcord.Event, kind string) (n int) {
	for _, ev := range events {
		if ev.Body.Kind() == kind {
			n++
		}
	}
	return n
}

// latest is the last time that now returned, in microseconds.
var latest atomic.Int64

// now returns the current time in a form that every store preserves. No two calls
// return the same time, although the clock of Windows has the same value for
// milliseconds: the first of two stops is the one with the earlier time.
func now() time.Time {
	for {
		last := latest.Load()
		if next := max(time.Now().UnixMicro(), last+1); latest.CompareAndSwap(last, next) {
			return time.UnixMicro(next).UTC()
		}
	}
}
