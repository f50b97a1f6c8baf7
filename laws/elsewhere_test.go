package laws_test

import (
	"cmp"
	"maps"
	"slices"
	"testing/synctest"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// link is how the node where a stop comes in is linked with the one that has the
// turn.
type link string

const (
	sameNode link = ""
	overNATS link = "over NATS"     // nobody looks at the store for an hour
	byRow    link = "the row alone" // it has no bus
)

// usualSweep is how often a stage's nodes look at the store: rarely, since hours
// pass there.
const usualSweep = 10 * time.Second

// sweep is how often the turn's node looks at the store: where a bus has to have
// brought the stop, so rarely that nothing else can have.
func (at setting) sweep() time.Duration {
	if at.ground.shared && at.from.late == 0 {
		return time.Hour
	}
	return usualSweep
}

// neighbour opens another node on the stage's store, where stops then come in.
func neighbour(l link) func(*stage) {
	return func(s *stage) {
		s.t.Helper()
		store, err := s.home(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		network := s.network
		if l == byRow {
			network = nil
		}
		s.openNode(store, store, network, hub.Options{Sweep: time.Hour})
		synctest.Wait() // the nodes know each other
	}
}
func init() { origins = slices.Concat(origins, atAnother(overNATS), atAnother(byRow)) }

// atAnother are the origins whose stop comes in at another node than the turn's.
// It is on record before the turn's own node has written the end that stands at
// the store's door, and so comes first.
func atAnother(l link) []origin {
	var all []origin
	for _, from := range origins[:5] {
		if !from.http && from.scope {
			continue // without a front it names what its own node has
		}
		from.name, from.link, from.ready = "another node, "+string(l)+", "+from.name, l, neighbour(l)
		from.ends = map[string]bellcord.End{"in settle": bellcord.EndStopped}
		from.cannot = maps.Clone(from.cannot)
		if from.cannot == nil {
			from.cannot = map[string]string{}
		}
		from.cannot["starting"] = tooQuick
		from.differ = map[string][]string{"in settle": {"End", "RaceWinner", "Cause", "Queue", "Times.StopRequested"}}
		if l == byRow {
			from.late = usualSweep
			maps.Copy(from.differ, origins[6].differ)
		}
		all = append(all, from)
	}
	return all
}

// ways are three by which a stop comes to a turn on a store that nodes share: at
// its own node, at another over NATS, at another by the row alone; by the core,
// or over HTTP, where it is the second. A store of one process has the first.
func (g ground) ways(nth int) []origin {
	own := origins[:1]
	if nth == 1 {
		own = origins[2:3]
	}
	if !g.shared {
		return own
	}
	return []origin{own[0], atAnother(overNATS)[nth], atAnother(byRow)[nth]}
}

// endAt is how a turn ends that is stopped at the cut point.
func (o origin) endAt(c cut) bellcord.End { return cmp.Or(o.ends[c.name], c.end, bellcord.EndStopped) }
