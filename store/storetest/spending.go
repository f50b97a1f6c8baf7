package storetest

import (
	"reflect"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var spendingChecks = []check{
	{"law 27: what a turn used is recorded with its end, by model, and once", spendingKept},
	{"law 27: a refused end spends nothing", refusedSpendsNothing},
	{"law 27: what was spent outlives the session", spendingOutlives},
	{"law 27: a turn whose id was used in a deleted session ends, and both are counted", spendingOfReusedID},
	{"spendings are listed by session and from a time on, in the order of the ends", spendingListed},
}

// spendingOfReusedID checks that a client that uses an id again after its session
// was deleted does not fail the commit.
func spendingOfReusedID(b *bench) {
	n := b.node()
	first := n.running(n.session())
	n.ok(first.costs(bellcord.EndDone, now()))
	once := total(b, n)
	n.ok(store.DeleteSession{ID: first.session})
	s := n.session()
	n.ok(acceptAs(s, first.turn))
	again := claimed{s, first.turn, n.ok(claim(s, first.turn)).Fence}
	results := n.do(again.costs(bellcord.EndDone, now()), note(n.session(), "innocent"))
	if results[0].Err != nil || results[1].Err != nil {
		b.Errorf("the end: %v, the other op: %v", results[0].Err, results[1].Err)
	}
	if got := total(b, n); once == 0 || got != 2*once {
		b.Errorf("%d tokens are counted, want twice %d", got, once)
	}
}

// total returns the number of tokens that all turns have used.
func total(b *bench, n *node) (tokens int64) {
	b.Helper()
	all, err := n.Spending(b.Context(), store.SpendingQuery{})
	if err != nil {
		b.Error(err)
	}
	for _, s := range all {
		tokens += s.InputTokens + s.OutputTokens
	}
	return tokens
}

// costs returns the end of a turn that used two models.
func (c claimed) costs(end bellcord.End, at time.Time) store.FinishTurn {
	op := c.ends(end)
	op.At = at
	op.Receipt.UsageByModel = []bellcord.ModelUsage{
		{Model: "a/big", Usage: bellcord.Usage{InputTokens: 1 << 40, CacheReadTokens: 3, CacheWriteTokens: 4, OutputTokens: 5, CostNanoUSD: 6, Exact: true}},
		{Model: "b/small", Usage: bellcord.Usage{InputTokens: 7, OutputTokens: 8}},
	}
	return op
}

// spendings returns the entries that a store must list for a finished turn.
func spendings(op store.FinishTurn) []store.Spending {
	var all []store.Spending
	for _, s := range op.Receipt.UsageByModel {
		all = append(all, store.Spending{At: op.At, Turn: op.Turn, Session: op.Session, ModelUsage: s})
	}
	return all
}

func (b *bench) spending(n *node, q store.SpendingQuery, want ...store.Spending) {
	b.Helper()
	got, err := n.Spending(b.Context(), q)
	for i := range got {
		if i < len(want) && got[i].At.Equal(want[i].At) {
			got[i].At = want[i].At // the same instant, possibly in another representation
		}
	}
	if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		b.Errorf("spent %+v, %v\nwant %+v", got, err, want)
	}
	kept, is := n.Node.(store.UsageSummer)
	if !is {
		return
	}
	sum, err := kept.SumUsage(b.Context(), q)
	if all := store.SumUsage(want); err != nil || sum.Turns != all.Turns || len(sum.Models)+len(all.Models) > 0 && !reflect.DeepEqual(sum, all) {
		b.Errorf("the sum is %+v, %v\nwant %+v", sum, err, all)
	}
}

func spendingKept(b *bench) {
	n, reader := b.node(), b.node()
	op := n.running(n.session()).costs(bellcord.EndDone, now())
	n.ok(op)
	n.ok(op) // repeated, as after a lost acknowledgement
	b.spending(reader, store.SpendingQuery{}, spendings(op)...)
}

func refusedSpendsNothing(b *bench) {
	n := b.node()
	t := n.running(n.session())
	n.ok(recordStop(t.turn, stopBy("anna", bellcord.StopNow)))
	n.refused(t.costs(bellcord.EndDone, now()), store.ErrStopRecorded)
	b.spending(n, store.SpendingQuery{})
	stopped := t.costs(bellcord.EndStopped, now())
	n.ok(stopped)
	b.spending(n, store.SpendingQuery{}, spendings(stopped)...)
}

func spendingOutlives(b *bench) {
	n := b.node()
	s := n.session()
	op := n.running(s).costs(bellcord.EndDone, now())
	n.ok(op)
	n.ok(store.DeleteSession{ID: s})
	b.spending(n, store.SpendingQuery{Session: s}, spendings(op)...)
}

func spendingListed(b *bench) {
	n := b.node()
	one, two, start := n.session(), n.session(), now()
	ops := []store.FinishTurn{}
	for i, s := range []bellcord.SessionID{one, two, one} {
		op := n.running(s).costs(bellcord.EndDone, start.Add(time.Duration(i)*time.Hour))
		n.ok(op)
		ops = append(ops, op)
	}
	b.spending(n, store.SpendingQuery{Session: one}, append(spendings(ops[0]), spendings(ops[2])...)...)
	b.spending(n, store.SpendingQuery{Since: ops[1].At}, append(spendings(ops[1]), spendings(ops[2])...)...)
	b.spending(n, store.SpendingQuery{Session: two, Since: ops[2].At})
}
