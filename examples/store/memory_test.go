package memory_test

import (
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	memory "github.com/bellcord/bellcord/examples/store"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, open) }

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Harness{
		Open: open,
		Place: func(t *testing.T) string {
			t.Cleanup(func() { places.Delete(t.Name()) })
			return t.Name()
		},
		Forsake: func(_ *testing.T, place string) { at(place).Forsake() },
		Gaps:    gaps,
	})
}

// places contains the memories of this process, by name.
var places sync.Map

func at(place string) *memory.Memory {
	m, _ := places.LoadOrStore(place, memory.New())
	return m.(*memory.Memory)
}

func open(place string) (storetest.Node, error) { return at(place).Open(), nil }

const (
	ownMemory = "the check starts processes, and this store is in the memory of one"
	noReplay  = "an append without a turn has no number by which it could be recognized; a second copy does no harm"
	noEvents  = "the answer to a repeated op leaves its events out, which the contract allows"
)

// gaps are the checks that a store in memory cannot pass, and why.
var gaps = map[string]string{
	"many processes open a new place at once, and all can use it":                 ownMemory,
	"a live node's turns are never taken":                                         ownMemory,
	"a paused node is alive: its turns stay its own, and it goes on where it was": ownMemory,
	"law 33: a killed node's turns are taken at once, under raised fences":        ownMemory,
	"law 32: a stop on record outlives the node that was to heed it":              ownMemory,
	"of two nodes that take over at once, each turn goes to one":                  ownMemory,
	"law 36: the session of a dead node stays taken until its turn has ended":     ownMemory,
	"a node that took over a queued turn can run it, and claim it twice":          ownMemory,
	"a node that took over a running turn can write to it":                        ownMemory,
	"laws 23 and 28: what was acknowledged before kill -9 is there afterwards":    ownMemory,
	"law 12: a node that writes without pause does not keep a stop waiting":       ownMemory,

	"law 20: another process that is taken for dead while it writes is refused, and loses nothing that was acknowledged": ownMemory,

	"an event of the session alone, committed twice, is there once": noReplay,
	"a replayed op is answered with the events that it added":       noEvents,
}

// The checks of storetest for raised fences start processes, so this store needs a separate test.
func TestTakeOver_NodeClosed_RaisesFence(t *testing.T) {
	t.Parallel()
	shared := memory.New()
	leaver, heir := shared.Open(), shared.Open()
	now, session, turn := time.Now(), bellcord.NewSessionID(), bellcord.NewTurnID()
	results, err := leaver.Commit(t.Context(), []store.Op{
		store.PutSession{Session: bellcord.Session{ID: session}},
		store.AcceptTurn{Session: session, Turn: turn, At: now},
		store.ClaimTurn{Session: session, Turn: turn, At: now},
	})
	if err != nil || results[2].Fence == 0 {
		t.Fatalf("%+v, error %v", results, err)
	}
	if err := leaver.Close(); err != nil {
		t.Fatal(err)
	}
	taken, err := heir.TakeOver(t.Context())
	if err != nil || len(taken) != 1 || taken[0].ID != turn || taken[0].Fence <= results[2].Fence {
		t.Errorf("taken %+v, error %v; the fence was %d", taken, err, results[2].Fence)
	}
}
