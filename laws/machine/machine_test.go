package machine_test

import (
	"flag"
	"reflect"
	"testing"
	"time"

	"github.com/bellcord/bellcord/laws/machine"
)

// stepsPerRun is the length of a run, enough for a few leases and about forty
// turns.
const stepsPerRun = 2000

var (
	seed  = flag.Uint64("seed", 0, "replay this run alone")
	steps = flag.Int("steps", manySteps, "steps in all")
	runs  = flag.Int("runs", 0, "runs instead of steps")
)

func TestRules_TenMillionSteps_HoldInvariants(t *testing.T) {
	t.Parallel()
	var w machine.World
	if *seed != 0 {
		if v := w.Run(*seed, stepsPerRun, machine.Product()); v != nil {
			t.Fatal(v)
		}
		t.Logf("seed %d: 0 violations", *seed)
		return
	}
	many := (*steps + stepsPerRun - 1) / stepsPerRun
	if *runs > 0 {
		many = *runs
	}
	began := time.Now()
	for i := range many {
		if v := w.Run(uint64(i+1), stepsPerRun, machine.Product()); v != nil {
			t.Fatalf("%vreplay it with: go test ./laws/machine -run TenMillion -v -seed %d", v, v.Seed)
		}
	}
	t.Logf("%+v", w.Tally())
	t.Logf("%d steps over %d runs in %v: 0 violations", many*stepsPerRun, many, time.Since(began).Round(time.Millisecond))
}

// A reused World must not keep state between runs, because a seed could not be
// replayed then.
func TestRun_SameSeed_RepeatsTheRun(t *testing.T) {
	t.Parallel()
	rules := machine.Product()
	rules.FinishHeedsStop = false
	var used machine.World
	for i := range 200 {
		var fresh machine.World
		first, again := fresh.Run(uint64(i+1), stepsPerRun, rules), used.Run(uint64(i+1), stepsPerRun, rules)
		if (first == nil) != (again == nil) || first != nil && first.Error() != again.Error() {
			t.Fatalf("seed %d: %v, and then %v", i+1, first, again)
		}
	}
}

// A run without a fault proves nothing about that fault.
func TestRun_HundredSeeds_CoverEveryFault(t *testing.T) {
	t.Parallel()
	var w machine.World
	for i := range 100 {
		if v := w.Run(uint64(i+1), stepsPerRun, machine.Product()); v != nil {
			t.Fatal(v)
		}
	}
	counts := reflect.ValueOf(w.Tally())
	for i := range counts.NumField() {
		if counts.Field(i).Int() < 20 {
			t.Errorf("%s: %d in 100 runs", counts.Type().Field(i).Name, counts.Field(i).Int())
		}
	}
}
