//go:build linux

package chaos_test

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// register is a turn as a sequence of single steps sees it: where it is, whether
// a stop is on record, and whether one was told to the process that runs it,
// which may be before it is on record.
type register struct {
	phase    string // "" before it is accepted; queued, running, or an end
	recorded bool
	told     bool
}

// deed is an operation of a turn's history.
type deed string

const (
	accepts deed = "prompt"
	tells   deed = "tell"   // a stop reaches who runs the turn, or does not
	records deed = "record" // a stop is put on record
	reads   deed = "get"
)

// told is what an operation was answered.
type told struct {
	known bool
	state string // of the turn, or of the stop
	near  bool   // of a get: who was asked may run the turn, and know more than the record
}

// turnModel is what may happen to a turn. What a turn does by itself, to run and
// to end, may happen between any two operations.
var turnModel = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{register{}} },
	Step: func(state, input, output any) []any {
		var next []any
		for _, now := range state.(register).byItself() {
			for _, after := range now.step(input.(deed), output.(told)) {
				next = append(next, after)
			}
		}
		return next
	},
	DescribeOperation: func(input, output any) string {
		if out := output.(told); out.known {
			return strings.TrimSpace(fmt.Sprintf("%s: %s", input, out.state))
		}
		return fmt.Sprintf("%s: ?", input)
	},
	DescribeState: func(state any) string { return fmt.Sprintf("%+v", state) },
}).ToModel()

func (r register) unended() bool {
	return r.phase == string(api.Queued) || r.phase == string(api.Running)
}

// byItself are the states that a turn may have come to without being asked. One
// with a stop on record ends stopped and in no other way; one that ends stopped
// was told to.
func (r register) byItself() []register {
	if !r.unended() {
		return []register{r}
	}
	all := []register{r}
	become := func(phase string) {
		all = append(all, register{phase: phase, recorded: r.recorded, told: r.told})
	}
	if r.phase == string(api.Queued) {
		become(string(api.Running))
	}
	if !r.recorded {
		become(string(bellcord.EndDone))
		become(string(bellcord.EndFailed))
		become(string(bellcord.EndLost))
	}
	if r.recorded || r.told {
		become(string(bellcord.EndStopped))
	}
	return all
}

// step carries out one operation; no states mean that it cannot be answered so.
func (r register) step(d deed, out told) []register {
	switch d {
	case accepts:
		return r.accept(out)
	case tells:
		heard := r
		heard.told = true
		return []register{r, heard}
	case records:
		return r.record(out)
	case reads:
	}
	if !r.shows(out) {
		return nil
	}
	return []register{r}
}

// accept: what was accepted is there from then on. A stop that was kept for it is its own then.
func (r register) accept(out told) []register {
	made := r
	made.phase = string(api.Queued)
	switch {
	case !out.known && r.phase == "":
		return []register{r, made}
	case !out.known:
		return []register{r}
	case r.phase == "":
		return []register{made}
	}
	return []register{r} // the same prompt said again is the same turn
}

// record: a stop that is answered as kept came before the turn, one that is
// answered as too late came behind its end.
func (r register) record(out told) []register {
	after := r
	if r.phase == "" || r.unended() {
		after.recorded = true
	}
	switch {
	case !out.known:
		return []register{r, after}
	case out.state == string(bellcord.StopStateWaitingForTurn) && r.phase != "":
		return nil
	case out.state == string(bellcord.StopStateAlreadyEnded) && (r.phase == "" || r.unended()):
		return nil
	}
	return []register{after}
}

// shows reports whether a reader may be shown the state. Once a stop is on
// record no node shows the turn as running.
func (r register) shows(out told) bool {
	switch out.state {
	case string(api.Queued), string(api.Running):
		return r.phase == out.state && !r.recorded
	case string(api.Stopping):
		return r.unended() && (r.recorded || r.told && out.near)
	}
	return r.phase == out.state
}
