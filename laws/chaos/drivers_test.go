//go:build linux

package chaos_test

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// anything performs the next action of a driver of the usual crowd.
func (d *driver) anything() {
	switch n := d.chance.IntN(20); {
	case n < 8:
		d.promptsOne()
	case n < 11:
		d.stopsAny()
	case n < 15:
		d.getsAnyTurn()
	case n < 16:
		d.stopsBefore()
	case n < 17:
		d.racesTheStop()
	case n < 18:
		d.stopsASession()
	case n < 19:
		d.promptsTwice()
	default:
		d.releases()
	}
}

// newTurn returns a prompt with a random policy.
func (d *driver) newTurn() api.NewTurn {
	id := bellcord.NewTurnID()
	turn := api.NewTurn{ID: string(id), Text: d.crowd.size.script(d.chance, d.crowd.s.marker, id)}
	switch d.chance.IntN(12) {
	case 0:
		turn.WhenBusy = string(bellcord.BusyReject)
	case 1:
		turn.WhenBusy = string(bellcord.BusyReplace)
	}
	return turn
}

// promptsOne sends a prompt, and stops it later if it does not end by itself.
func (d *driver) promptsOne() {
	r := d.anySession()
	if r.backlog() >= d.crowd.size.backlog {
		d.stopSessionOf(r)
		return
	}
	turn := d.newTurn()
	d.prompt(d.home, r, turn)
	if strings.Contains(turn.Text, "hang") || strings.Contains(turn.Text, "sleep 300") {
		select {
		case <-time.After(untilStopped(d.chance)):
		case <-d.crowd.driving.Done():
		}
		d.stop(bellcord.TurnID(turn.ID))
	}
}

func (d *driver) prompt(at *node, r *sessionLog, turn api.NewTurn) act {
	d.crowd.s.book.meet(bellcord.TurnID(turn.ID))
	r.sends(bellcord.TurnID(turn.ID))
	a := at.prompt(r.id, turn)
	if !a.answered || a.status >= 400 {
		r.ended(bellcord.TurnID(turn.ID)) // it was not accepted, as far as the client can determine
	}
	return a
}

// stop stops a turn at a random node and waits up to three seconds for the
// receipt.
func (d *driver) stop(id bellcord.TurnID) act {
	how := api.Stop{Wait: []string{"1ms", "1s", "3s"}[d.chance.IntN(3)], Queue: []string{"next", "next", "hold", "drop"}[d.chance.IntN(4)]}
	if d.chance.IntN(5) == 0 {
		how.Mode = string(bellcord.StopForce)
	}
	return d.anyNode().stop(id, how)
}

func (d *driver) stopsAny() {
	if id, ok := d.crowd.s.book.anyTurn(d.chance.IntN); ok {
		d.stop(id)
	}
}

func (d *driver) getsAnyTurn() {
	if id, ok := d.crowd.s.book.anyTurn(d.chance.IntN); ok {
		d.anyNode().getTurn(id)
		d.anyNode().getTurn(id)
	}
}

// stopsBefore stops a turn that does not exist yet and then may prompt it.
func (d *driver) stopsBefore() {
	turn := d.newTurn()
	d.stop(bellcord.TurnID(turn.ID))
	if d.chance.IntN(4) > 0 {
		d.prompt(d.home, d.anySession(), turn)
	}
}

// racesTheStop sends a prompt and its stop at the same time, possibly to
// different nodes.
func (d *driver) racesTheStop() {
	turn, r, at, how := d.newTurn(), d.anySession(), d.anyNode(), api.Stop{Wait: "1s", Queue: "next"}
	var both sync.WaitGroup
	both.Go(func() { d.prompt(d.home, r, turn) })
	both.Go(func() { at.stop(bellcord.TurnID(turn.ID), how) })
	both.Wait()
}

func (d *driver) stopsASession() { d.stopSessionOf(d.anySession()) }

func (d *driver) stopSessionOf(r *sessionLog) {
	how := api.Stop{Wait: "1s", Queue: []string{"drop", "drop", "next", "hold"}[d.chance.IntN(4)]}
	d.anyNode().stopSession(r.id, how)
}

// promptsTwice sends the same prompt to two nodes, which must create one turn.
// Sometimes the second text differs.
func (d *driver) promptsTwice() {
	turn, r, other := d.newTurn(), d.anySession(), d.anyNode()
	turn.WhenBusy = ""
	d.prompt(d.home, r, turn)
	if d.chance.IntN(3) == 0 { // with the same id; only one of the two may be accepted
		turn.Text = "[think 1] " + turn.Text
	}
	other.prompt(r.id, turn)
}

// releases releases the turns that a stop held.
func (d *driver) releases() {
	ctx, done := within(patience)
	defer done()
	var line api.Turns
	_, _, _ = d.anyNode().roundTrip(ctx, http.MethodPost, "/v1/sessions/"+string(d.anySession().id)+"/queue/send", nil, &line) // any result is allowed
}
