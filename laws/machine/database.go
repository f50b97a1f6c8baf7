package machine

// Size of a run. Conflicts are more frequent in a small world.
const (
	nodeCount    = 3
	sessionCount = 3
	turnCount    = 40
	watcherCount = 4
)

// Times are in ticks of about one second of the product.
const (
	lease  = 12
	margin = 4 // the part of a lease that a node does not count on; large, because clock rates differ a lot here
)

type (
	// nodeID is unique: a restarted process has a new one.
	nodeID int32
	// stamp is a unique number. The product's ops use their creation time in
	// nanoseconds for the same purpose.
	stamp int32
	turn  = int8 // a turn's ID, chosen by the client before the turn exists
)

// state is the state of a turn in the store.
type state uint8

const (
	queued state = iota
	running
	over
)

// mode is the mode of a stop.
type mode uint8

const (
	noStop mode = iota
	afterStep
	cutsNow
	forced // like cutsNow, without the grace period
)

// end is the end of a turn.
type end uint8

const (
	noEnd end = iota
	done
	failed
	stopped
	lost
)

var endNames = [...]string{"nothing", "done", "failed", "stopped", "lost"}

// nodeRow is the row of a node. It exists while the node counts as alive.
type nodeRow struct {
	id         nodeID
	leaseUntil int // by the database's clock; 0 if the node has left
}

// turnRow is the row of a turn. It decides every race about the turn.
type turnRow struct {
	exists   bool
	session  int8
	state    state
	node     nodeID
	taken    bool // taken over from a dead node, to be ended by this one
	fence    int
	accepted stamp
	claimed  stamp
	applied  int // number of the last append
	stop     mode
	end      end
	receipt  stamp
}

// kind is the kind of an event.
type kind uint8

const (
	prompted kind = iota
	started
	stopRequested
	edited
	textAppended // words and results of tools
	called       // the durable intent of a tool
	ended
)

// event is one row of a session's log. Its index gives its sequence number, which
// has no gaps because the session's tail is locked.
type event struct {
	turn turn
	kind kind
	word int16 // number of the word in its turn, from 1
}

// database is the shared state. Each function on it is one atomic statement.
type database struct {
	now     int
	nodes   []nodeRow
	turns   [turnCount]turnRow
	events  [sessionCount][]event
	intents [turnCount]mode // stops kept for turns that do not exist yet
}

func (d *database) reset() {
	d.now, d.nodes = 1, d.nodes[:0]
	clear(d.turns[:])
	clear(d.intents[:])
	for i := range d.events {
		d.events[i] = d.events[i][:0]
	}
}

// node returns a node's row, or nil.
func (d *database) node(id nodeID) *nodeRow {
	for i := range d.nodes {
		if d.nodes[i].id == id {
			return &d.nodes[i]
		}
	}
	return nil
}

// busy reports whether a turn of the session is running.
func (d *database) busy(session int8) bool {
	for i := range d.turns {
		if t := &d.turns[i]; t.state == running && t.session == session && t.exists {
			return true
		}
	}
	return false
}

// unended reports whether a node has turns that have not ended.
func (d *database) unended(id nodeID) bool {
	for i := range d.turns {
		if t := &d.turns[i]; t.exists && t.node == id && t.state != over {
			return true
		}
	}
	return false
}
