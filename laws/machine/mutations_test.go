package machine_test

import (
	"testing"

	"github.com/bellcord/bellcord/laws/machine"
)

// mutation is a deliberate defect of the rules.
type mutation struct {
	name   string
	broken func(*machine.Rules)
	from   int // seed of the first run; for rare violations, slightly below the first seed that shows them
}

// caught contains the mutations that the auditor must detect.
var caught = []mutation{
	{name: "no fence on appends", broken: func(r *machine.Rules) { r.AppendIsFenced = false }},
	{name: "no fence on the finish", broken: func(r *machine.Rules) { r.FinishIsFenced = false }},
	{name: "appends are not numbered", broken: func(r *machine.Rules) { r.AppendIsNumbered = false }},
	{name: "the finish ignores the stop", broken: func(r *machine.Rules) { r.FinishHeedsStop = false }},
	{name: "a second end is allowed", broken: func(r *machine.Rules) { r.FinishIsOnce = false }},
	{name: "a stop is a message only", broken: func(r *machine.Rules) { r.StopIsRecorded = false }},
	{name: "early stops are forgotten", broken: func(r *machine.Rules) { r.EarlyStopIsKept = false }},
	{name: "a stop of a queued turn waits for a step", broken: func(r *machine.Rules) { r.QueuedStopCuts = false }},
	{name: "an accept without the node's row", broken: func(r *machine.Rules) { r.AcceptChecksNode = false }},
	{name: "a claim without looking whose the turn is", broken: func(r *machine.Rules) { r.ClaimChecksOwner = false }},
	{name: "a claim in a busy session", broken: func(r *machine.Rules) { r.ClaimChecksSession = false }},
	{name: "a claim without a lease, and no fence", broken: func(r *machine.Rules) {
		r.ClaimChecksLease, r.AppendIsFenced, r.FinishIsFenced = false, false, false
	}},
	{name: "a take-over that does not raise the fence", broken: func(r *machine.Rules) { r.TakeOverRaisesFence = false }},
	{name: "a fence without the node: all turns that wait have number 0", broken: func(r *machine.Rules) { r.FenceHasNode = false }},
	{name: "a fence without the number", broken: func(r *machine.Rules) { r.FenceHasNumber = false }},
	{name: "a lost answer is a failure, redone under a new number", broken: func(r *machine.Rules) { r.LostAnswerIsNoFailure = false }},
	{name: "a lost answer is a success", broken: func(r *machine.Rules) { r.LostAnswerIsNoSuccess = false }},
	{name: "a repeated op is refused", broken: func(r *machine.Rules) { r.RepeatIsAnswered = false }},
	{name: "a repeated commit does not wait for the lost one", broken: func(r *machine.Rules) { r.RepeatWaits = false }},
	{name: "nobody follows an end that was given up", broken: func(r *machine.Rules) { r.LateEndIsFollowed = false }},
	{name: "a node that was taken for dead goes on", broken: func(r *machine.Rules) { r.FencedNodeEnds = false }},
	{name: "a claim does not hear the stop", broken: func(r *machine.Rules) { r.ClaimAppliesStop = false }},
	{name: "a stop of whatever runs", broken: func(r *machine.Rules) { r.StopNamesItsTurn = false }},
	{name: "a stop of a scope is a message only", broken: func(r *machine.Rules) { r.ScopeIsRecorded = false }},
	{name: "a stop of a scope spares what its node has taken over", broken: func(r *machine.Rules) { r.ScopeHasTaken = false }},
	{name: "a stop of a scope by the nodes' own clocks", broken: func(r *machine.Rules) { r.ScopeUsesOneClock = false }},
	{name: "a stop of a scope takes turns that came later", broken: func(r *machine.Rules) { r.ScopeSparesLater = false }},
	{name: "a stop of an owner takes the turns of others", broken: func(r *machine.Rules) { r.ScopeHasOwner = false }},
	{name: "a tool without a durable intent", broken: func(r *machine.Rules) { r.IntentBeforeEffect = false }},
	{name: "a tool without a lease", broken: func(r *machine.Rules) { r.LeaseBeforeEffect = false }},
	{name: "a lease from when it was answered", broken: func(r *machine.Rules) { r.LeaseFromRequest = false }},
	{name: "a lease without a margin", broken: func(r *machine.Rules) { r.LeaseHasMargin = false }, from: 10560},
	{name: "shown before it is durable", broken: func(r *machine.Rules) { r.DurableBeforeShown = false }},
}

// harmless contains mutations that another rule compensates for.
var harmless = []mutation{
	{name: "the fence alone holds: a claim without a lease", broken: func(r *machine.Rules) { r.ClaimChecksLease = false }},
}

// hunt runs a mutation until it is detected, or for the given number of steps.
func hunt(m mutation, most int) (*machine.Violation, int) {
	rules := machine.Product()
	m.broken(&rules)
	var w machine.World
	for i := range most / stepsPerRun {
		if v := w.Run(uint64(m.from+i+1), stepsPerRun, rules); v != nil {
			if base := w.Run(v.Seed, stepsPerRun, machine.Product()); base != nil {
				return nil, 0 // the run fails without the mutation, too, so nothing was detected
			}
			return v, i*stepsPerRun + v.Step
		}
	}
	return nil, most
}

func TestMutations_RuleSwitchedOff_IsDetected(t *testing.T) {
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

func TestRules_OffButCompensatedByAnother_CauseNoViolation(t *testing.T) {
	t.Parallel()
	for _, m := range harmless {
		if v, _ := hunt(m, *steps/5); v != nil {
			t.Errorf("%s: %v", m.name, v)
			continue
		}
		t.Logf("%-72s %d steps, 0 violations", m.name, *steps/5)
	}
}
