//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/llm/fakemodel"
)

// checksStops: every stop that was answered holds. One that was settled has the
// same receipt still. One that was kept stops its turn when it comes.
func (g *guest) checksStops(sum *tolls) {
	g.t.Helper()
	for _, answered := range g.stops {
		found, err := g.at.client.Turn(g.t.Context(), answered.Turn, 0)
		switch {
		case answered.State.UnderWay():
			g.checksUnderWay(sum, answered, found, err)
		case err != nil: // it never came, or its prompt was never answered
			g.bornStopped(answered)
		case answered.State == bellcord.StopStateWaitingForTurn:
			g.neverRan(answered, found)
		default:
			g.sameReceipt(answered, found)
		}
		sum.stops++
	}
}

// checksUnderWay: a stop that is answered while it is under way is on record
// before the answer (law 32), with its turn.
func (g *guest) checksUnderWay(sum *tolls, answered bellcord.StopAnswer, found api.Turn, err error) {
	g.t.Helper()
	sum.underWay++
	switch {
	case err != nil:
		g.t.Errorf("a stop of %s was under way; now %v", answered.Turn, err)
	case found.Receipt == nil:
		g.t.Errorf("a stop of %s was under way; it runs: %+v", answered.Turn, found)
	case found.Stop == nil && found.Receipt.End != bellcord.EndDone:
		g.t.Errorf("a stop of %s was under way; it is not on record: %+v", answered.Turn, found.Receipt)
	}
}

func (g *guest) sameReceipt(answered bellcord.StopAnswer, found api.Turn) {
	g.t.Helper()
	then, err := json.Marshal(answered.Receipt)
	if err != nil {
		g.t.Fatal(err)
	}
	now, err := json.Marshal(found.Receipt)
	if err != nil {
		g.t.Fatal(err)
	}
	if string(then) != string(now) {
		g.t.Errorf("a stop of %s was answered with\n%s\nand is on record with\n%s", answered.Turn, then, now)
	}
}

// bornStopped sends the turn now.
func (g *guest) bornStopped(answered bellcord.StopAnswer) {
	g.t.Helper()
	text, sent := g.texts[answered.Turn]
	if !sent {
		text = "[say too late] " + string(answered.Turn)
	}
	turn, err := g.at.client.Prompt(g.t.Context(), g.session, api.NewTurn{ID: string(answered.Turn), Text: text})
	if err == nil {
		turn, err = g.at.client.Turn(g.t.Context(), turn.ID, 10*time.Second)
	}
	if err != nil {
		g.t.Errorf("sending %s, whose stop was answered %q: %v", answered.Turn, answered.State, err)
		return
	}
	g.neverRan(answered, turn)
}

// neverRan: it ended as stopped, and the model never heard of it.
func (g *guest) neverRan(answered bellcord.StopAnswer, found api.Turn) {
	g.t.Helper()
	if found.Receipt == nil || found.Receipt.End != bellcord.EndStopped {
		g.t.Errorf("a stop of %s was answered %q before it came; now %+v %+v", answered.Turn, answered.State, found, found.Receipt)
	}
	_ = g.at.world.model.Wait(g.t.Context(), func(all []fakemodel.Request) bool {
		for _, r := range all {
			if strings.Contains(r.Prompt, string(answered.Turn)) {
				g.t.Errorf("a stop of %s was answered %q before it came; the model was asked at %v", answered.Turn, answered.State, r.At)
			}
		}
		return true // it is what is there now that counts
	})
}
