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

// link is the connection between the node that receives a stop and the node
// that runs the turn.
type link string

const (
	sameNode link = ""
	overNATS link = "over NATS"     // the store is polled only once per hour
	byRow    link = "the row alone" // the node has no bus
)

// usualSweep is how often a stage's nodes poll the store: rarely, because
// scenes last hours.
const usualSweep = 10 * time.Second

// sweep returns how often the turn's node polls the store. If the stop must
// arrive over the bus, the interval is so long that polling cannot deliver it.
func (at setting) sweep() time.Duration {
	if at.ground.shared && at.from.late == 0 {
		return time.Hour
	}
	return usualSweep
}

// neighbour opens a second node on the stage's store, which then receives the
// stops.
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
		synctest.Wait() // the nodes have discovered each other
	}
}
func init() { origins = slices.Concat(origins, atAnother(overNATS), atAnother(byRow)) }

// atAnother returns the origins that send their stop to a node other than the
// turn's. The stop is recorded before the turn's node has written an end that
// is blocked at the store, and therefore wins.
func atAnother(l link) []origin {
	var all []origin
	for _, from := range origins[:5] {
		if !from.http && from.scope {
			continue // without a front, the scope covers only the turns of the receiving node
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

// ways returns the ways in which a stop reaches a turn on the store: through
// the turn's own node and, if the store is shared by nodes, through another
// node over NATS and through another node by the stored row alone. With nth 0
// the stop is a call of the core, with nth 1 a request over HTTP.
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

// endAt returns the expected end of a turn that is stopped at the cut point.
func (o origin) endAt(c cut) bellcord.End { return cmp.Or(o.ends[c.name], c.end, bellcord.EndStopped) }
