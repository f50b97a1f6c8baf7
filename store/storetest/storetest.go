// Package storetest is the test suite that every store.Store must pass. It
// checks the guarantees on which the hub relies, including the outcome of races
// between processes.
//
// A store's test package calls Run in a test and Main in TestMain, both with a
// function that opens a node. Main lets the test binary start itself again as a
// child process, which the suite then kills or pauses.
package storetest

import (
	"os"
	"testing"

	"github.com/bellcord/bellcord/store"
)

// Node is one process's view of a store. Several may be open in this process;
// each counts as a separate process.
type Node interface {
	store.Store
	Close() error // unregisters the node; further calls do nothing
}

// Opener opens another node on a place, which names the storage that nodes share,
// such as a directory or a schema.
type Opener func(place string) (Node, error)

// Harness describes a store to the suite.
type Harness struct {
	Open Opener
	// Place creates a new, empty place that is removed after the test.
	Place func(t *testing.T) string
	// Forsake makes every open node on the place appear dead to the others while
	// it lives on, like an expired lease. It is nil if the store does not support
	// that.
	Forsake func(t *testing.T, place string)
	// Gaps lists checks that the store fails, by name and with the reason. They
	// are skipped unless BELLCORD_STORETEST_GAPS=1 is set.
	Gaps map[string]string
	// Batches is the number of batches with hostile values, 0 for a few.
	Batches int
}

// check is one requirement: a description and its test.
type check struct {
	description string
	prove       func(*bench)
}

var suite = map[string][]check{
	"opening":   openingChecks,
	"order":     orderChecks,
	"chain":     chainChecks,
	"bodies":    bodyChecks,
	"sessions":  sessionChecks,
	"shares":    shareChecks,
	"push":      pushChecks,
	"replay":    replayChecks,
	"batches":   batchChecks,
	"hostile":   hostileChecks,
	"claims":    claimChecks,
	"fences":    fenceChecks,
	"ends":      endChecks,
	"spending":  spendingChecks,
	"receipts":  receiptChecks,
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

// Run runs every check of the suite, each on a new place.
func Run(t *testing.T, h Harness) {
	excused := map[string]bool{}
	for topic, checks := range suite {
		for _, c := range checks {
			excused[c.description] = h.Gaps[c.description] != ""
			t.Run(topic+"/"+c.description, func(t *testing.T) {
				t.Parallel()
				if why := h.Gaps[c.description]; why != "" && os.Getenv(envGaps) == "" {
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

// Main runs the tests, or acts as a node if a test started this process as a
// child. It does not return.
func Main(m *testing.M, open Opener) {
	if place := os.Getenv(envPlace); place != "" {
		os.Exit(serve(open, place, os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// Environment variables: the place that a child process opens, and whether to run
// the checks in Harness.Gaps.
const (
	envPlace = "BELLCORD_STORETEST_PLACE"
	envGaps  = "BELLCORD_STORETEST_GAPS"
)
