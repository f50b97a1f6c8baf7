package machine_test

import (
	"testing"

	"github.com/bellcord/bellcord/laws/machine"
)

// mutation is the product with something broken on purpose.
type mutation struct {
	name   string
	broken func(*machine.Rules)
}

// caught are the mutations that the auditor has to notice.
var caught = []mutation{
	{"no fence on appends", func(r *machine.Rules) { r.AppendIsFenced = false }},
	{"no fence on the finish", func(r *machine.Rules) { r.FinishIsFenced = false }},
	{"appends are not numbered", func(r *machine.Rules) { r.AppendIsNumbered = false }},
	{"the finish ignores the stop", func(r *machine.Rules) { r.FinishHeedsStop = false }},
	{"a second end is allowed", func(r *machine.Rules) { r.FinishIsOnce = false }},
	{"a stop is a message only", func(r *machine.Rules) { r.StopIsRecorded = false }},
	{"early stops are forgotten", func(r *machine.Rules) { r.EarlyStopIsKept = false }},
	{"an accept without the node's row", func(r *machine.Rules) { r.AcceptChecksNode = false }},
	{"a claim without the node's row, nor whose the turn is", func(r *machine.Rules) {
		r.ClaimChecksNode, r.ClaimChecksOwner = false, false
	}},
	{"a claim in a busy session", func(r *machine.Rules) { r.ClaimChecksSession = false }},
	{"a claim without a lease, and no fence", func(r *machine.Rules) {
		r.ClaimChecksLease, r.AppendIsFenced, r.FinishIsFenced = false, false, false
	}},
	{"a take-over that does not raise the fence", func(r *machine.Rules) { r.TakeOverRaisesFence = false }},
	{"a fence without the node: all turns that wait have number 0", func(r *machine.Rules) { r.FenceHasNode = false }},
	{"a fence without the number", func(r *machine.Rules) { r.FenceHasNumber = false }},
	{"a lost answer is a failure, redone under a new number", func(r *machine.Rules) { r.LostAnswerIsNoFailure = false }},
	{"a lost answer is a success", func(r *machine.Rules) { r.LostAnswerIsNoSuccess = false }},
	{"a repeated op is refused", func(r *machine.Rules) { r.RepeatIsAnswered = false }},
	{"a repeated commit does not wait for the lost one", func(r *machine.Rules) { r.RepeatWaits = false }},
	{"nobody follows an end that was given up", func(r *machine.Rules) { r.LateEndIsFollowed = false }},
	{"a node that was taken for dead goes on", func(r *machine.Rules) { r.FencedNodeEnds = false }},
	{"a claim does not hear the stop", func(r *machine.Rules) { r.ClaimHearsStop = false }},
	{"a stop of whatever runs", func(r *machine.Rules) { r.StopNamesItsTurn = false }},
	{"a tool without a durable intent", func(r *machine.Rules) { r.IntentBeforeEffect = false }},
	{"a tool without a lease", func(r *machine.Rules) { r.LeaseBeforeEffect = false }},
	{"a lease from when it was answered", func(r *machine.Rules) { r.LeaseFromAsking = false }},
	{"a lease without a margin", func(r *machine.Rules) { r.LeaseHasMargin = false }},
	{"shown before it is durable", func(r *machine.Rules) { r.DurableBeforeShown = false }},
}

// harmless are those that another rule makes up for.
var harmless = []mutation{
	{"the node's row alone holds: a claim without looking whose the turn is", func(r *machine.Rules) { r.ClaimChecksOwner = false }},
	{"the owner alone holds: a claim without the node's row", func(r *machine.Rules) { r.ClaimChecksNode = false }},
	{"the fence alone holds: a claim without a lease", func(r *machine.Rules) { r.ClaimChecksLease = false }},
}

// hunt runs the mutation until it is caught, or for so many steps.
func hunt(m mutation, most int) (*machine.Violation, int) {
	rules := machine.Product()
	m.broken(&rules)
	var w machine.World
	for i := range most / stepsPerRun {
		if v := w.Run(uint64(i+1), stepsPerRun, rules); v != nil {
			if base := w.Run(v.Seed, stepsPerRun, machine.Product()); base != nil {
				return nil, 0 // the run breaks without the mutation, too: that catches nothing
			}
			return v, i*stepsPerRun + v.Step
		}
	}
	return nil, most
}

func TestEveryMutationIsCaught(t *testing.T) {
	t.Parallel()
	for _, m := range caught {
		v, took := hunt(m, stepsPerMutation)
		if v == nil {
			t.Errorf("%-60s not caught in %d steps", m.name, took)
			continue
		}
		t.Logf("%-60s caught after %7d steps by: %s (%d)", m.name, took, v.Invariant, v.Invariant)
	}
}

func TestWhatAnotherRuleMakesUpForIsNoViolation(t *testing.T) {
	t.Parallel()
	for _, m := range harmless {
		if v, _ := hunt(m, *steps/5); v != nil {
			t.Errorf("%s: %v", m.name, v)
			continue
		}
		t.Logf("%-72s %d steps, 0 violations", m.name, *steps/5)
	}
}
