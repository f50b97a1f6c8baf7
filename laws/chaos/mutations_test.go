//go:build linux

package chaos_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mutation breaks one rule of the engine. The provocation is one round of
// faults that reveals it; rounds are repeated until a violation is found or the
// time is over.
type mutation struct {
	name    string
	changes []change
	crowd   crowdSize
	provoke func(s *stage, round int)
	clocks  bool // only wrong clocks reveal it
}

const store = "store/postgres/"

var mutants = []mutation{
	{
		name: "no fence: appends and finishes compare neither fence nor node, a take-over raises nothing",
		changes: []change{
			{
				store + "appends.go",
				"(turns.session, turns.fence, state, applied, node) IS NOT DISTINCT FROM (new.session, new.fence, 'running', new.n - 1, $5::text)",
				"(turns.session, state, applied) IS NOT DISTINCT FROM (new.session, 'running', new.n - 1) AND $5::text IS NOT NULL",
			},
			{store + "finish.go", "WHERE id = $1 AND fence = $2 AND state <> 'ended' AND node = $5", "WHERE id = $1 AND $2::bigint IS NOT NULL AND state <> 'ended' AND $5::text IS NOT NULL"},
			{store + "watch.go", "taken = true, fence = fence + 1, applied = 0", "taken = true"},
		},
		crowd: streaming, provoke: (*stage).wakeBehindATakeOver,
	},
	{
		name: "a stop is ignored at the finish: done is written over it",
		changes: []change{
			{store + "finish.go", "AND ($3 = 'stopped' OR stop IS NULL OR stop_mode = 'after_step')", "AND $3::text IS NOT NULL"},
		},
		crowd: noDrivers, provoke: (*stage).stopBehindTheOwnersBack,
	},
	{
		name: "a stop is a message only: for another node's turn it is not put on record",
		changes: []change{
			{store + "stop.go", "	return t.putStop(row.TurnRecord, d)\n}\n\nfunc (t *tx) ownerOf", "	if !facts.Turn.Own {\n		return store.Result{Record: &row.TurnRecord}, nil\n	}\n	return t.putStop(row.TurnRecord, d)\n}\n\nfunc (t *tx) ownerOf"},
		},
		crowd: noDrivers, provoke: (*stage).stopWhereNobodyListens,
	},
	{
		name: "a claim looks neither at the node nor at its lease",
		changes: []change{
			{
				store + "claim.go",
				"state = 'queued' AND node = $2 AND session = $3\n		  AND EXISTS (SELECT 1 FROM nodes WHERE id = $2 AND lease_until > `+clock+`)",
				"state = 'queued' AND $2::text IS NOT NULL AND session = $3",
			},
		},
		crowd: noDrivers, provoke: (*stage).claimBehindATakeOver,
	},
	{
		name: "no read-back: an append that was not acknowledged is made anew",
		changes: []change{
			{
				store + "appends.go",
				"(turns.session, turns.fence, state, applied, node) IS NOT DISTINCT FROM (new.session, new.fence, 'running', new.n - 1, $5::text)",
				"(turns.session, turns.fence, state, node) IS NOT DISTINCT FROM (new.session, new.fence, 'running', $5::text)",
			},
		},
		crowd: streaming, provoke: (*stage).loseManyAnswers,
	},
	{
		name: "prompts and stops have the times of the machines' clocks",
		changes: []change{
			{"internal/app/cluster.go", "opts.Leased, opts.Clock, opts.Sweep = shared.Leased, shared.Clock, sharedSweep", "opts.Leased, opts.Sweep = shared.Leased, sharedSweep"},
		},
		crowd: noDrivers, provoke: (*stage).stopSessionsElsewhere, clocks: true,
	},
}

// mostProvoked limits the time of the faults for one mutation; the audit takes
// some seconds more.
const mostProvoked = 20 * time.Second

// The audit must detect each broken rule.
func TestMutations_EachBrokenRule_IsCaught(t *testing.T) {
	if *mutations == "" {
		t.Skip("-mutations=all, or a number, breaks the engine's rules one by one")
	}
	chosen := strings.Split(*mutations, ",")
	if *mutations == "all" || slices.Contains(chosen, "0") {
		t.Run("0", theWholeIsInnocent)
	}
	for i, m := range mutants {
		if number := strconv.Itoa(i + 1); *mutations == "all" || slices.Contains(chosen, number) {
			t.Run(number, func(t *testing.T) { m.mustBeCaught(t) })
		}
	}
}

// theWholeIsInnocent is the control: the same provocations without a broken
// rule.
func theWholeIsInnocent(t *testing.T) {
	s := newStage(t, buildNode(t, nil), 1)
	for round, m := range mutants {
		s.begin(m.crowd)
		m.provoke(s, round)
		s.rest(0)
	}
	sum := s.audit()
	for _, v := range s.violations() {
		t.Errorf("%s: %s", v.kind, v.what)
	}
	t.Logf("every provocation once, no rule broken: %s; %s", sum, s.violationCounts())
}

func (m mutation) mustBeCaught(t *testing.T) {
	if m.clocks && !*clocks {
		t.Skip("only wrong clocks reveal it: add -clocks")
	}
	s := newStage(t, buildNode(t, m.changes), 1)
	s.begin(m.crowd)
	began := time.Now()
	for round := 0; time.Since(began) < mostProvoked && s.innocent(); round++ {
		m.provoke(s, round)
	}
	took := time.Since(began)
	if s.innocent() { // not found yet, so the log must show it
		s.rest(0)
		s.audit()
	}
	if s.innocent() {
		t.Errorf("%s: nobody noticed in %v; the evidence is in %s", m.name, took, s.keep())
		return
	}
	first := s.violations()[0]
	t.Logf("%s: caught after %v by %q: %s", m.name, took.Round(100*time.Millisecond), first.kind, first.what)
	t.Log(s.violationCounts())
}

// innocent reports whether no violation was found yet, including by the
// witness.
func (s *stage) innocent() bool {
	ctx, done := within(5 * time.Second)
	defer done()
	conn, err := s.connect(ctx)
	if err == nil {
		err = s.readWitness(ctx, conn)
		_ = conn.Close(ctx)
	}
	if err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.found) == 0
}
