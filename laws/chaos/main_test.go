//go:build linux

package chaos_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// CI runs 3m; the default keeps go test ./... short.
var (
	length    = flag.Duration("chaos", 20*time.Second, "how long there are faults")
	seed      = flag.Uint64("seed", 0, "of the schedule of faults; 0 picks one")
	raceNodes = flag.Bool("race-nodes", false, "build the nodes with the race detector")
	clocks    = flag.Bool("clocks", false, "give the nodes clocks that differ by 10 or 20 s, and audit stops of sessions; builds the standard library, too")
	mutations = flag.String("mutations", "", "which mutations are to be caught: all, or numbers with commas between them")
)

// lease is the nodes' lease duration. It is short, so that many leases expire.
const lease = 3 * time.Second

// TestMain lets the test binary run as a NATS server, so that the server can be
// killed.
func TestMain(m *testing.M) {
	if os.Getenv(natsPort) != "" {
		serveNATS()
		return
	}
	os.Exit(m.Run())
}

// Laws 1, 2, 7, 8, 15, 16, 20, 23, 28, 32, 33 and 36 with several nodes and all
// kinds of faults.
func TestChaos_NodesAndServersFail_EveryLawHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("chaos takes its time: it is left out under -short")
	}
	chosen := *seed
	if chosen == 0 {
		chosen = rand.Uint64N(1_000_000) + 1
	}
	t.Logf("-seed=%d", chosen)
	s := newStage(t, buildNode(t, nil), chosen)
	s.begin(usualCrowd)
	suffered := s.suffer(*length)
	s.settle()
	sum := s.audit()
	for _, v := range s.violations() {
		t.Errorf("%s: %s", v.kind, v.what)
	}
	t.Logf("%v: %s: %s; %s", *length, suffered, sum, s.violationCounts())
	if t.Failed() {
		t.Logf("-seed=%d; the evidence is in %s", chosen, s.keep())
	}
}
