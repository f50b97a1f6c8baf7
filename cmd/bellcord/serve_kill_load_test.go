//go:build unix

package main

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// guest prompts, stops and watches in a separate session until the server is killed, and records
// all answers. Requests without an answer count for nothing.
type guest struct {
	t       *testing.T
	at      *mortal
	session bellcord.SessionID
	token   string // in the arguments of all processes of its turns

	mu    sync.Mutex
	texts map[bellcord.TurnID]string // sent, with or without an answer
	turns map[bellcord.TurnID]bool   // accepted by the server
	stops []bellcord.StopAnswer

	shown  []string      // events, starting with number 1
	record []storedEvent // after the kill
}

func (m *mortal) invite(n int, token string) []*guest {
	m.t.Helper()
	var all []*guest
	for range n {
		made, err := m.client.NewSession(m.t.Context(), api.NewSession{})
		if err != nil {
			m.t.Fatal(err)
		}
		all = append(all, &guest{
			t: m.t, at: m, session: made.ID, token: token,
			texts: map[bellcord.TurnID]string{}, turns: map[bellcord.TurnID]bool{},
		})
	}
	return all
}

// prompts sends prompts and stops until a request finds no server.
func (g *guest) prompts() {
	for {
		id := bellcord.NewTurnID()
		alive := true
		switch rand.IntN(8) {
		case 0:
			alive = g.stop(id, "")
		case 1:
			alive = g.stop(id, "") && g.prompt(id)
		case 2:
			alive = g.prompt(id) && g.lingers() && g.stop(id, "")
		case 3:
			alive = g.prompt(id) && g.lingers() && g.stop(id, "1ms")
		case 4:
			var both sync.WaitGroup
			both.Go(func() { g.prompt(id) })
			both.Go(func() { alive = g.stop(id, "1ms") })
			both.Wait()
		case 5:
			alive = g.prompt(id) && g.prompt(bellcord.NewTurnID()) && g.stopSession("drop")
		case 6:
			alive = g.prompt(id) && g.lingers() && g.stopSession("next")
		case 7: // the turn continues, and the next one is queued behind it
			alive = g.prompt(id) && g.lingers()
		}
		if !alive {
			return
		}
	}
}

func (g *guest) lingers() bool {
	<-time.After(rand.N(60 * time.Millisecond))
	return true
}

// script returns one of several kinds of turns. The id in it identifies the model's requests.
func (g *guest) script(id bellcord.TurnID) string {
	return []string{
		"[slow 30 3ms] ",
		"[hang after 3] ",
		"[think 5 1ms] [slow 5 2ms] [tool shell {\"command\":\"sleep " + g.token + " & sleep " + g.token + "\"}] ",
		"[tool shell {\"command\":\"setsid sleep " + g.token + " & echo up; sleep " + g.token + "\"}] ",
		"[tool shell {\"command\":\"echo done\"}] [then [slow 10 2ms]] ",
	}[rand.IntN(5)] + string(id)
}

func (g *guest) prompt(id bellcord.TurnID) bool {
	text := g.script(id)
	g.mu.Lock()
	g.texts[id] = text
	g.mu.Unlock()
	_, err := g.at.client.Prompt(g.t.Context(), g.session, api.NewTurn{ID: string(id), Text: text})
	if err != nil {
		return g.at.mayBeDead(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turns[id] = true
	return true
}

func (g *guest) stop(id bellcord.TurnID, wait string) bool {
	answer, err := g.at.client.Stop(g.t.Context(), id, api.Stop{Wait: wait, Reason: "enough"})
	return g.note(answer, err)
}

func (g *guest) stopSession(fate string) bool {
	answer, err := g.at.client.StopSession(g.t.Context(), g.session, api.Stop{Queue: fate})
	return g.note(answer, err)
}

func (g *guest) note(answer api.Stopped, err error) bool {
	if err != nil {
		return g.at.mayBeDead(err)
	}
	if !answer.Recorded { // the store did not respond for a second: nothing is guaranteed
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stops = append(g.stops, answer.Turns...)
	return true
}

// watches reads the session's stream to its end.
func (g *guest) watches() {
	events := g.at.stream(g.session, 0)
	if events == nil {
		return
	}
	defer events.Close()
	for {
		data, ok := events.event()
		if !ok {
			return
		}
		g.shown = append(g.shown, data)
	}
}

// returns connects the guest to the restarted server and reads the record.
func (g *guest) returns(m *mortal) {
	g.t.Helper()
	g.at, g.record = m, m.record(g.session)
}
