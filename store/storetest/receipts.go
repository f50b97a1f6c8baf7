package storetest

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

var receiptChecks = []check{
	{"receipts are listed by session, owner and part of the turn's id, the last accepted first", receiptsListed},
	{"turns that have not ended and those of deleted sessions have no receipt", receiptsOfEndedTurns},
	{"a receipt with any text is listed as it was written", receiptWithAnyText},
}

func (b *bench) receipts(n *node, q store.ReceiptQuery, want ...bellcord.TurnID) {
	b.Helper()
	got, err := n.Receipts(b.Context(), q)
	var turns []bellcord.TurnID
	for _, r := range got {
		turns = append(turns, r.Turn)
	}
	if err != nil || !slices.Equal(turns, want) {
		b.Errorf("%+v: receipts of %v, %v; want %v", q, turns, err, want)
	}
}

func receiptsListed(b *bench) {
	n, reader := b.node(), b.node()
	annas, berts := n.sessionOf("anna"), n.sessionOf("bert")
	one, two := n.running(annas).ends(bellcord.EndDone), n.running(berts).ends(bellcord.EndDone)
	n.ok(two) // ends in another order than the turns were accepted
	n.ok(one)
	three := n.running(annas).ends(bellcord.EndStopped)
	n.ok(three)
	first, second, third := one.Turn, two.Turn, three.Turn

	b.receipts(reader, store.ReceiptQuery{}, third, second, first)
	b.receipts(reader, store.ReceiptQuery{Limit: 1}, third)
	b.receipts(reader, store.ReceiptQuery{Session: annas}, third, first)
	b.receipts(reader, store.ReceiptQuery{Session: annas, Owner: "bert"})
	b.receipts(reader, store.ReceiptQuery{Owner: "bert"}, second)
	for _, turn := range []bellcord.TurnID{first, second, third} {
		b.receipts(reader, store.ReceiptQuery{Turn: string(turn)}, turn)
		b.receipts(reader, store.ReceiptQuery{Turn: strings.ToUpper(string(turn[:30]))}, turn)
		b.receipts(reader, store.ReceiptQuery{Turn: string(turn[24:])}, turn)
	}
	b.receipts(reader, store.ReceiptQuery{Turn: string(second), Owner: "anna"})
	b.receipts(reader, store.ReceiptQuery{Turn: "%"})
	b.receipts(reader, store.ReceiptQuery{Turn: string(first) + "0"})
}

func receiptsOfEndedTurns(b *bench) {
	n := b.node()
	s := n.session()
	end := n.running(s).ends(bellcord.EndDone)
	n.ok(end)
	n.running(s)
	b.receipts(n, store.ReceiptQuery{}, end.Turn)
	n.ok(store.DeleteSession{ID: s})
	b.receipts(n, store.ReceiptQuery{})
}

func receiptWithAnyText(b *bench) {
	n := b.node()
	end := n.running(n.session()).ends(bellcord.EndFailed)
	end.Receipt.Error = "\x00 \"%"
	n.ok(end)
	got, err := n.Receipts(b.Context(), store.ReceiptQuery{})
	if err != nil || len(got) != 1 || got[0].Error != end.Receipt.Error || !got[0].Times.Settled.Equal(end.At) {
		b.Errorf("receipts are %+v, %v", got, err)
	}
}
