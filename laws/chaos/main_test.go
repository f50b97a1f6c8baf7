//go:build linux

package chaos_test

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

// CI asks for 3m; the default keeps the whole of go test ./... short.
var (
	length    = flag.Duration("chaos", 20*time.Second, "how long there are faults")
	seed      = flag.Uint64("seed", 0, "of the schedule of faults; 0 picks one")
	raceNodes = flag.Bool("race-nodes", false, "build the nodes with the race detector")
	mutations = flag.String("mutations", "", "which mutations are to be caught: all, or numbers with commas between them")
)

// lease is what the nodes are told. It is short, so that many run out.
const lease = 3 * time.Second

// TestMain lets the test binary be a NATS server, so that one can be killed.
func TestMain(m *testing.M) {
	if os.Getenv(natsPort) != "" {
		serveNATS()
		return
	}
	os.Exit(m.Run())
}

// Laws 2, 7, 8, 15, 16, 20, 23, 28, 32, 33 and 36 for several nodes, under all
// the faults that there are.
func TestChaos(t *testing.T) {
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
