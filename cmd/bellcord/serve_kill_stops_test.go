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

// checksStops checks that every acknowledged stop still holds. A settled stop still has the same
// receipt. A stop that arrived before its turn stops the turn when that arrives.
func (g *guest) checksStops(sum *tolls) {
	g.t.Helper()
	for _, answered := range g.stops {
		found, err := g.at.client.Turn(g.t.Context(), answered.Turn, 0)
		switch {
		case answered.State.UnderWay():
			g.checksUnderWay(sum, answered, found, err)
		case err != nil: // the turn was never sent, or its prompt was never acknowledged
			g.bornStopped(answered)
		case answered.State == bellcord.StopStateWaitingForTurn:
			g.neverRan(answered, found)
		default:
			g.sameReceipt(answered, found)
		}
		sum.stops++
	}
}

// checksUnderWay checks that a stop that was acknowledged while in progress is recorded with its
// turn (law 32).
func (g *guest) checksUnderWay(sum *tolls, answered bellcord.StopAnswer, found api.Turn, err error) {
	g.t.Helper()
	sum.underWay++
	switch {
	case err != nil:
		g.t.Errorf("a stop of %s was under way; now %v", answered.Turn, err)
	case found.Receipt == nil:
		g.t.Errorf("a stop of %s was under way; it runs: %+v", answered.Turn, found)
	case found.StopRequest == nil && found.Receipt.End != bellcord.EndDone:
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

// bornStopped sends the turn now and checks that it never runs.
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

// neverRan checks that the turn ended as stopped and sent no model request.
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
		return true // check only the current requests
	})
}
