package storetest

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var orderChecks = []check{
	{"events come back in the order of their commits, counted from one without holes", ordered},
	{"a commit answers with the very events that a reader gets", answeredAsRead},
	{"reading begins behind the given number and keeps to the limit", bounded},
	{"sessions do not mix", apart},
	{"a session that nobody wrote to is empty", empty},
	{"what one node has committed, every other node reads at once", seenByOthers},
	{"the ends of many logs come in the order they were asked for", manyTails},
	{"the turns that have not ended are those of all nodes, or of one session, each with its node", unended},
}

func ordered(b *bench) {
	n := b.node()
	s := n.session()
	t := n.running(s)
	n.do(t.appendTexts(1, "one", "two"), note(s, "three"), t.appendTexts(2, "four"))
	n.ok(t.ends(bellcord.EndDone))
	var got []string
	for _, ev := range n.log(s) {
		got = append(got, textOf(ev))
	}
	want := []string{
		fmt.Sprintf("turn_accepted of %s", t.turn), fmt.Sprintf("turn_started of %s", t.turn),
		"one", "two", "three", "four", fmt.Sprintf("turn_ended of %s", t.turn),
	}
	if !slices.Equal(got, want) {
		b.Errorf("the log is %q, want %q", got, want)
	}
}

func answeredAsRead(b *bench) {
	n := b.node()
	s := n.session()
	t := accept(s)
	c := claimed{s, t.Turn, 1}
	ops := []store.Op{
		t, claim(s, t.Turn), c.appendTexts(1, "a", "b"), note(s, "c"), recordStop(t.Turn, stopBy("anna", bellcord.StopNow)), c.ends(bellcord.EndStopped),
	}
	var answered []bellcord.Event
	for _, op := range ops {
		answered = append(answered, n.ok(op).Events...)
	}
	read := n.log(s)
	if len(read) != len(answered) {
		b.Fatalf("the commit returned %d events, reading %d", len(answered), len(read))
	}
	for i, ev := range read {
		returned := answered[i]
		if !ev.Time.Equal(returned.Time) {
			b.Errorf("event %d: the commit returned time %v, reading %v", ev.Seq, returned.Time, ev.Time)
		}
		if ev.Time = returned.Time; !reflect.DeepEqual(ev, returned) {
			b.Errorf("the commit returned %+v, reading %+v", returned, ev)
		}
	}
	if first := n.record(t.Turn).FirstSeq; first != 1 {
		b.Errorf("the turn's first event is %d, want 1", first)
	}
}

func bounded(b *bench) {
	n := b.node()
	s := n.session()
	n.ok(note(s, "1", "2", "3", "4", "5", "6", "7"))
	for _, c := range []struct {
		after int64
		limit int
		want  []int64
	}{
		{0, 3, []int64{1, 2, 3}},
		{3, 3, []int64{4, 5, 6}},
		{6, 3, []int64{7}},
		{7, 3, nil},
		{99, 3, nil},
		{0, 100, []int64{1, 2, 3, 4, 5, 6, 7}},
	} {
		events, err := n.Events(b.Context(), s, c.after, c.limit)
		if err != nil {
			b.Fatal(err)
		}
		var got []int64
		for _, ev := range events {
			got = append(got, ev.Seq)
		}
		if !slices.Equal(got, c.want) {
			b.Errorf("%d after %d: %v, want %v", c.limit, c.after, got, c.want)
		}
	}
}

func apart(b *bench) {
	n := b.node()
	one, other := n.session(), n.session()
	for i := range 5 {
		n.do(note(one, fmt.Sprint("one ", i)), note(other, fmt.Sprint("other ", i), "more"))
	}
	for s, want := range map[bellcord.SessionID]int{one: 5, other: 10} {
		events := n.log(s)
		for _, ev := range events {
			if ev.Session != s {
				b.Errorf("an event of session %s is in session %s", ev.Session, s)
			}
		}
		if tail, err := n.Tail(b.Context(), s); len(events) != want || tail != int64(want) || err != nil {
			b.Errorf("%d events, tail %d, error %v, want %d", len(events), tail, err, want)
		}
	}
}

func empty(b *bench) {
	n := b.node()
	for _, s := range []bellcord.SessionID{n.session(), bellcord.NewSessionID()} {
		tail, err := n.Tail(b.Context(), s)
		if events := n.log(s); tail != 0 || err != nil || len(events) > 0 {
			b.Errorf("tail %d, error %v, %d events", tail, err, len(events))
		}
	}
}

func seenByOthers(b *bench) {
	n, other := b.node(), b.node()
	s := n.session()
	for i := range int64(20) {
		n.ok(note(s, "x"))
		if tail, err := other.Tail(b.Context(), s); tail != i+1 || err != nil {
			b.Fatalf("the other node's tail is %d, error %v, want %d", tail, err, i+1)
		}
	}
}

func manyTails(b *bench) {
	n := b.node()
	one, none, other := n.session(), n.session(), n.session()
	n.do(note(one, "x"), note(other, "y", "z"))
	sessions := []bellcord.SessionID{other, "nobody's", one, none, other}
	tails, err := n.Tails(b.Context(), sessions)
	if want := []int64{2, 0, 1, 0, 2}; err != nil || !slices.Equal(tails, want) {
		b.Errorf("the tails are %v, error %v, want %v", tails, err, want)
	}
	if tails, err := n.Tails(b.Context(), nil); len(tails) != 0 || err != nil {
		b.Errorf("tails of no sessions: %v, %v", tails, err)
	}
}

func unended(b *bench) {
	n, other := b.node(), b.node()
	s, foreign := n.session(), other.session()
	runs, waits := n.running(s), n.queued(s)
	elsewhere := other.running(foreign)
	over := n.running(n.session())
	n.ok(over.ends(bellcord.EndDone))
	for session, want := range map[bellcord.SessionID][]bellcord.TurnID{
		"": {runs.turn, waits, elsewhere.turn}, s: {runs.turn, waits}, foreign: {elsewhere.turn}, over.session: nil, "nobody's": nil,
	} {
		records, err := n.UnendedTurns(b.Context(), session)
		var got []bellcord.TurnID
		for _, r := range records {
			got = append(got, r.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			b.Errorf("unended of %q: %v, error %v, want %v", session, got, err, want)
		}
	}
	own, others := n.record(waits).Node, n.record(elsewhere.turn).Node
	if own == "" || others == "" || own == others || n.record(runs.turn).Node != own {
		b.Errorf("the turns belong to %q and %q", own, others)
	}
}
