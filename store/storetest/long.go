package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var longChecks = []check{
	{"the end of a long session is as near as that of a short one", longTail},
}

// slower is how many times longer reading the end of a long session may take. It
// allows for noise but is far below the cost of reading from the start.
const slower = 20

func longTail(b *bench) {
	n := b.node()
	short, long := n.session(), n.session()
	fill(n, short, 100)
	began := time.Now()
	fill(n, long, longSession)
	b.Logf("%d events written in %v", longSession, time.Since(began).Round(time.Millisecond))

	var quick, slow []time.Duration
	for range 41 { // alternating, so that other load on the machine affects both
		quick = append(quick, lastTen(b, n, short, 100))
		slow = append(slow, lastTen(b, n, long, longSession))
	}
	fast, far := median(quick), median(slow)
	b.Logf("tail and last 10 events: %v of 100, %v of %d", fast, far, longSession)
	if far > slower*fast {
		b.Errorf("%v against %v: reading the end depends on the length of the session", far, fast)
	}
	if got := len(n.log(long)); got != longSession {
		b.Errorf("reading everything returns %d events", got)
	}
}

func fill(n *node, s bellcord.SessionID, total int) {
	for at := 0; at < total; {
		var texts []string
		for ; at < total && len(texts) < 2000; at++ {
			texts = append(texts, fmt.Sprint("event ", at+1))
		}
		n.ok(store.AppendEvents{Session: s, Bodies: textDeltas(texts...), At: now()})
	}
}

func lastTen(b *bench, n *node, s bellcord.SessionID, want int64) time.Duration {
	b.Helper()
	began := time.Now()
	tail, err := n.Tail(b.Context(), s)
	if err != nil || tail != want {
		b.Fatalf("tail %d, error %v, want %d", tail, err, want)
	}
	events, err := n.Events(b.Context(), s, tail-10, 10)
	took := time.Since(began)
	if err != nil || len(events) != 10 || textOf(events[9]) != fmt.Sprint("event ", want) {
		b.Fatalf("the last events: %v, error %v", kinds(events), err)
	}
	return took
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
