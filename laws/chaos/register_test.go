//go:build linux

package chaos_test

import (
	"fmt"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// register is the sequential model of a turn: its phase, whether a stop is
// recorded, and whether a stop has reached the process that runs it, which may
// happen before the stop is recorded.
type register struct {
	phase     string // "" before it is accepted; then queued, running, or an end
	recorded  bool
	delivered bool
}

// deed is the kind of an operation in a turn's history.
type deed string

const (
	accepts  deed = "prompt"
	delivers deed = "tell"   // a stop may reach the process that runs the turn
	records  deed = "record" // a stop is recorded
	reads    deed = "get"
)

// outcome is the result of an operation.
type outcome struct {
	certain bool
	state   string // state of the turn or of the stop
	near    bool   // for a get: the node that answered may run the turn and have a newer state than the store
}

// turnModel defines the allowed transitions of a turn. A turn can start and end
// by itself between any two operations.
var turnModel = (&porcupine.NondeterministicModel{
	Init: func() []any { return []any{register{}} },
	Step: func(state, input, output any) []any {
		var next []any
		for _, now := range state.(register).byItself() {
			for _, after := range now.step(input.(deed), output.(outcome)) {
				next = append(next, after)
			}
		}
		return next
	},
	DescribeOperation: func(input, output any) string {
		if out := output.(outcome); out.certain {
			return strings.TrimSpace(fmt.Sprintf("%s: %s", input, out.state))
		}
		return fmt.Sprintf("%s: ?", input)
	},
	DescribeState: func(state any) string { return fmt.Sprintf("%+v", state) },
}).ToModel()

func (r register) unended() bool {
	return r.phase == string(api.Queued) || r.phase == string(api.Running)
}

// byItself returns the states that a turn may have reached without an
// operation. A turn with a recorded stop can only end stopped, and a turn ends
// stopped only if a stop reached it.
func (r register) byItself() []register {
	if !r.unended() {
		return []register{r}
	}
	all := []register{r}
	become := func(phase string) {
		all = append(all, register{phase: phase, recorded: r.recorded, delivered: r.delivered})
	}
	if r.phase == string(api.Queued) {
		become(string(api.Running))
	}
	if !r.recorded {
		become(string(bellcord.EndDone))
		become(string(bellcord.EndFailed))
		become(string(bellcord.EndLost))
	}
	if r.recorded || r.delivered {
		become(string(bellcord.EndStopped))
	}
	return all
}

// step applies one operation and returns the possible next states; none means
// that the result is not allowed.
func (r register) step(d deed, out outcome) []register {
	switch d {
	case accepts:
		return r.accept(out)
	case delivers:
		delivered := r
		delivered.delivered = true
		return []register{r, delivered}
	case records:
		return r.record(out)
	case reads:
	}
	if !r.shows(out) {
		return nil
	}
	return []register{r}
}

// accept applies an accepted prompt: the turn exists from then on, and a stop
// that was kept for it becomes its stop.
func (r register) accept(out outcome) []register {
	made := r
	made.phase = string(api.Queued)
	switch {
	case !out.certain && r.phase == "":
		return []register{r, made}
	case !out.certain:
		return []register{r}
	case r.phase == "":
		return []register{made}
	}
	return []register{r} // a repeated prompt is the same turn
}

// record applies a recorded stop: a result "waiting for turn" requires that the
// turn does not exist yet, and "already ended" that it has ended.
func (r register) record(out outcome) []register {
	after := r
	if r.phase == "" || r.unended() {
		after.recorded = true
	}
	switch {
	case !out.certain:
		return []register{r, after}
	case out.state == string(bellcord.StopStateWaitingForTurn) && r.phase != "":
		return nil
	case out.state == string(bellcord.StopStateAlreadyEnded) && (r.phase == "" || r.unended()):
		return nil
	}
	return []register{after}
}

// shows reports whether a reader may receive the state. Once a stop is
// recorded, no node shows the turn as running.
func (r register) shows(out outcome) bool {
	switch out.state {
	case string(api.Queued), string(api.Running):
		return r.phase == out.state && !r.recorded
	case string(api.Stopping):
		return r.unended() && (r.recorded || r.delivered && out.near)
	}
	return r.phase == out.state
}
