// Package storetest is the one suite that every bellcord.Store has to pass. What
// it demands is what the core builds on; a store that passes may decide the
// races between processes.
//
// A store's test package hands its way of opening a node to Main, in TestMain,
// so that the test binary can start itself again as a process that is killed or
// paused for real, and to Run.
package storetest

import (
	"os"
	"testing"

	"github.com/bellcord/bellcord"
)

// Node is one process's view of a store. Several may be open in this process;
// each counts as one of its own.
type Node interface {
	bellcord.Store
	Close() error // a clean leave; a second one is nothing
}

// Opener opens one more node on a place: a directory, a schema, whatever names
// the storage that nodes share.
type Opener func(place string) (Node, error)

// Harness is what the suite needs to know of a store.
type Harness struct {
	Open Opener
	// Place makes a new, empty place that is gone after the test.
	Place func(t *testing.T) string
	// Forsake makes every node that is open on the place look dead to the others
	// while it lives on, as a lease that ran out would. Nil where that cannot be.
	Forsake func(t *testing.T, place string)
	// Gaps excuses cases, by name, that the store is known to fail, with the
	// reason. BELLCORD_STORETEST_GAPS=1 tries them all the same.
	Gaps map[string]string
}

// check is one demand: a sentence and its proof.
type check struct {
	says  string
	prove func(*bench)
}

var suite = map[string][]check{
	"opening":   openingChecks,
	"order":     orderChecks,
	"chain":     chainChecks,
	"bodies":    bodyChecks,
	"sessions":  sessionChecks,
	"replay":    replayChecks,
	"batches":   batchChecks,
	"claims":    claimChecks,
	"fences":    fenceChecks,
	"ends":      endChecks,
	"spending":  spendingChecks,
	"stops":     stopChecks,
	"early":     earlyChecks,
	"owners":    ownerChecks,
	"scopes":    scopeChecks,
	"edits":     editChecks,
	"take-over": takeOverChecks,
	"stale":     staleChecks,
	"crash":     crashChecks,
	"crowd":     crowdChecks,
	"long":      longChecks,
}

// Run proves every check of the suite, each on a place of its own.
func Run(t *testing.T, h Harness) {
	excused := map[string]bool{}
	for topic, checks := range suite {
		for _, c := range checks {
			excused[c.says] = h.Gaps[c.says] != ""
			t.Run(topic+"/"+c.says, func(t *testing.T) {
				t.Parallel()
				if why := h.Gaps[c.says]; why != "" && os.Getenv(envGaps) == "" {
					t.Skip("known gap: " + why)
				}
				c.prove(&bench{T: t, Harness: h, place: h.Place(t)})
			})
		}
	}
	for name := range h.Gaps {
		if !excused[name] {
			t.Errorf("the gap %q matches no test case", name)
		}
	}
}

// Main runs the tests, or, in a process that one of them started, does what that
// test says. It does not return.
func Main(m *testing.M, open Opener) {
	if place := os.Getenv(envPlace); place != "" {
		os.Exit(serve(open, place, os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// The environment: the place that a child is to open, and whether known gaps are
// to be tried all the same.
const (
	envPlace = "BELLCORD_STORETEST_PLACE"
	envGaps  = "BELLCORD_STORETEST_GAPS"
)
