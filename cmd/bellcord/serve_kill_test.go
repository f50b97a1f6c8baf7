//go:build unix

package main

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

// Laws 2, 15, 23, 28, 32 and 33 for a server: everything that it had acknowledged or shown when it
// was killed holds after the next start, no process survives, and every session continues.
func TestLaw33_KilledServer_LosesNothingAcknowledgedOrShown(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	w := newWorld(t)
	sum := tolls{ends: map[bellcord.End]int{}}
	m := w.serves()
	for n := range *kills {
		token := strconv.FormatInt(80_000_000+rand.Int64N(1_000_000), 10)
		guests := m.invite(4, token)
		var busy sync.WaitGroup
		for _, g := range guests {
			busy.Go(func() { g.prompts() })
			busy.Go(func() { g.watches() })
		}
		<-time.After(50*time.Millisecond + rand.N(700*time.Millisecond))
		m.dies()
		busy.Wait()
		sum.left += len(sleepers(t, token))
		if rand.IntN(4) == 0 {
			w.diesYoung()
		}
		m = w.serves()
		if alive := sleepers(t, token); len(alive) > 0 {
			t.Fatalf("kill %d: %v outlived the next start", n, alive)
		}
		m.settles()
		for _, g := range guests {
			g.returns(m)
			g.checksTurns(&sum)
			g.checksStops(&sum)
			g.checksEvents(&sum)
			g.goesOn()
		}
		if t.Failed() {
			t.Fatalf("after kill %d", n+1)
		}
	}
	if r := w.model.Rejections(); len(r) > 0 {
		t.Errorf("rejected: %v", r)
	}
	t.Logf("%d kills: %d turns acknowledged, %d events shown, %d stops acknowledged; 0 lost, 0 running, 0 processes left",
		*kills, sum.turns, sum.events, sum.stops)
	t.Logf("turns by their end: %v; %d of the stops were answered while under way; %d processes were alive after the kills",
		sum.ends, sum.underWay, sum.left)
}

// tolls are counts over all kills.
type tolls struct {
	turns, events int
	stops         int // acknowledged
	underWay      int // of these, before they had settled
	left          int // processes alive after a kill, before the next start
	ends          map[bellcord.End]int
}

// settles waits until all turns have ended. The start of a server ends the turns of the killed one,
// so the wait is short.
func (m *mortal) settles() {
	m.t.Helper()
	bound := time.After(3 * time.Second)
	for {
		unended, err := m.client.Turns(m.t.Context())
		if err != nil {
			m.t.Fatal(err)
		}
		if len(unended.Turns) == 0 {
			return
		}
		select {
		case <-bound:
			m.t.Fatalf("these have not ended: %+v", unended.Turns)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// checksTurns checks that every acknowledged turn is recorded with exactly one end. Its answer
// contains all its text events.
func (g *guest) checksTurns(sum *tolls) {
	g.t.Helper()
	ends, texts := map[bellcord.TurnID]int{}, map[bellcord.TurnID]string{}
	for _, ev := range g.record {
		switch ev.Kind {
		case "turn_ended":
			ends[ev.Turn]++
		case "text_delta":
			texts[ev.Turn] += ev.text(g.t)
		}
	}
	for id := range g.turns {
		found, err := g.at.client.TurnAnswer(g.t.Context(), id, 0)
		if err != nil || found.Receipt == nil || ends[id] != 1 {
			g.t.Errorf("turn %s was answered; now %v, %+v, with %d ends", id, err, found, ends[id])
			continue
		}
		text := ""
		for _, m := range found.Answer.Messages {
			text += m.Text
		}
		if text != texts[id] {
			g.t.Errorf("turn %s (%s) said %q, its answer has %q", id, found.Receipt.End, texts[id], text)
		}
		sum.ends[found.Receipt.End]++
		sum.turns++
	}
}

// checksEvents checks that every event that was shown is stored with the same number and content,
// and that the stream continues after the last one.
func (g *guest) checksEvents(sum *tolls) {
	g.t.Helper()
	for i, data := range g.shown {
		if i >= len(g.record) || string(g.record[i].raw) != data {
			g.t.Errorf("event %d was shown as %s; the record of %d events has it otherwise", i+1, data, len(g.record))
			return
		}
	}
	sum.events += len(g.shown)
	next := g.at.stream(g.session, len(g.shown))
	if next == nil {
		g.t.Errorf("no stream behind event %d, the last that was shown", len(g.shown))
		return
	}
	defer next.Close()
	defer time.AfterFunc(5*time.Second, func() { _ = next.Close() }).Stop() // do not wait for an event that never comes
	if len(g.record) > len(g.shown) {
		if data, ok := next.event(); !ok || data != string(g.record[len(g.shown)].raw) {
			g.t.Errorf("behind event %d comes %q", len(g.shown), data)
		}
	}
}

// goesOn checks that the session's next prompt is answered normally.
func (g *guest) goesOn() {
	g.t.Helper()
	turn, err := g.at.client.Prompt(g.t.Context(), g.session, api.NewTurn{Text: "and now?"})
	if err == nil {
		turn, err = g.at.client.Turn(g.t.Context(), turn.ID, 10*time.Second)
	}
	if err != nil || turn.Receipt == nil || turn.Receipt.End != bellcord.EndDone {
		g.t.Errorf("the next prompt: %v, %+v", err, turn)
	}
}
