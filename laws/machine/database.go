package machine

// The size of a run. Small worlds meet themselves more often.
const (
	nodeCount    = 3
	sessionCount = 3
	turnCount    = 40
	watcherCount = 4
)

// Times are in ticks; one is about a second of the product's.
const (
	lease  = 12
	margin = 4 // of a lease, that a node does not count on: here clocks are very unlike
)

type (
	// nodeID is used once: a process that starts again has a new one.
	nodeID int32
	// stamp is a number that is used once. The product's ops carry the time at
	// which they were made, to the nanosecond, for the same purpose.
	stamp int32
	turn  = int8 // the client's id of a turn, chosen before the turn exists
)

// state of a turn in the store.
type state uint8

const (
	queued state = iota
	running
	over
)

// mode of a stop.
type mode uint8

const (
	noStop mode = iota
	afterStep
	cutsNow
	forced // as cutsNow, without the grace
)

// end of a turn.
type end uint8

const (
	noEnd end = iota
	done
	failed
	stopped
	lost
)

var endNames = [...]string{"nothing", "done", "failed", "stopped", "lost"}

// nodeRow is there while a node counts as alive.
type nodeRow struct {
	id         nodeID
	leaseUntil int // by the database's clock; 0: it has left
}

// turnRow is where every race about a turn is decided.
type turnRow struct {
	there    bool
	session  int8
	state    state
	node     nodeID
	taken    bool // from a dead node, to be ended by this one
	fence    int
	accepted stamp
	claimed  stamp
	applied  int // number of its last append
	stop     mode
	end      end
	receipt  stamp
}

// kind of an event.
type kind uint8

const (
	prompted kind = iota
	started
	stopAsked
	edited
	said   // words, and results of tools
	called // a tool's durable intent
	ended
)

// event is one row of a session's log; its place is its sequence number, which
// the lock on the session's tail gives out without a gap.
type event struct {
	turn turn
	kind kind
	word int16 // which of the turn's words it is, from 1
}

// database is the one truth. Each statement on it is one function, which
// happens whole or not at all.
type database struct {
	now     int
	nodes   []nodeRow
	turns   [turnCount]turnRow
	events  [sessionCount][]event
	intents [turnCount]mode // stops kept for turns that have not come
}

func (d *database) reset() {
	d.now, d.nodes = 1, d.nodes[:0]
	clear(d.turns[:])
	clear(d.intents[:])
	for i := range d.events {
		d.events[i] = d.events[i][:0]
	}
}

// node returns a node's row, nil when it has none.
func (d *database) node(id nodeID) *nodeRow {
	for i := range d.nodes {
		if d.nodes[i].id == id {
			return &d.nodes[i]
		}
	}
	return nil
}

// busy reports whether a turn of the session runs.
func (d *database) busy(session int8) bool {
	for i := range d.turns {
		if t := &d.turns[i]; t.state == running && t.session == session && t.there {
			return true
		}
	}
	return false
}

// unended reports whether a node has turns that have not ended.
func (d *database) unended(id nodeID) bool {
	for i := range d.turns {
		if t := &d.turns[i]; t.there && t.node == id && t.state != over {
			return true
		}
	}
	return false
}
