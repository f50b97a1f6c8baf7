package machine

// messageKind is the type of a message.
type messageKind uint8

const (
	stopWord  messageKind = iota
	scopeWord             // a stop of a scope
	frame                 // an event for watchers
)

// message is a message to one node. The bus may lose, duplicate, reorder and
// delay messages; nothing durable depends on it.
type message struct {
	kind    messageKind
	to      int8 // index of the node, not its ID: a restarted node receives it, too
	stop    mode
	turn    turn
	session int8
	seq     int
	event   event
	scoped  op // for a stop of a scope
}

// mostMessages is the capacity of the bus. Further messages are lost.
const mostMessages = 32

// publish sends a message to all other nodes.
func (w *World) publish(n *node, m message) {
	if n.deaf {
		return
	}
	for i := range w.nodes {
		if &w.nodes[i] == n || (m.kind == frame && !w.watched(i, m.session)) {
			continue
		}
		m.to = int8(i)
		copies := 1
		if chance := w.below(8); chance == 0 {
			copies = 0
		} else if chance == 1 {
			copies = 2
		}
		for ; copies > 0 && len(w.bus) < mostMessages; copies-- {
			w.bus = append(w.bus, m)
		}
	}
}

// deliver delivers a random message.
func (w *World) deliver() bool {
	if len(w.bus) == 0 {
		return false
	}
	i := w.below(len(w.bus))
	m := w.bus[i]
	n := &w.nodes[m.to]
	if n.up && n.paused {
		return false // the message stays queued
	}
	w.bus[i] = w.bus[len(w.bus)-1]
	w.bus = w.bus[:len(w.bus)-1]
	if !n.up || n.deaf {
		return true
	}
	switch m.kind {
	case stopWord:
		w.tracef("node %d receives over the bus: stop turn %d, mode %d", int(n.id), int(m.turn), int(m.stop))
		w.applyRemoteStop(n, &m)
	case scopeWord:
		w.applyRemoteScope(n, &m.scoped)
	case frame:
		w.showHere(n, m.session, m.seq, m.event)
	}
	return true
}

// watcher is a client that watches a session through a node. Its cursor survives
// the node.
type watcher struct {
	session int8
	at      int8 // index of the node
	cursor  int
}

// watched reports whether the node at place has a watcher of the session.
func (w *World) watched(place int, session int8) bool {
	for i := range w.watchers {
		if v := &w.watchers[i]; int(v.at) == place && v.session == session {
			return true
		}
	}
	return false
}

// showEvent delivers an event to the watchers of its session, on this node and on
// others.
func (w *World) showEvent(n *node, session int8, seq int, ev event) {
	w.showHere(n, session, seq, ev)
	w.publish(n, message{kind: frame, session: session, seq: seq, event: ev})
}

// showHere shows an event to the watchers for which it is the next one. Watchers
// that have it ignore it; watchers that are further behind catch up from the
// store.
func (w *World) showHere(n *node, session int8, seq int, ev event) {
	for i := range w.watchers {
		v := &w.watchers[i]
		if v.session != session || &w.nodes[v.at] != n {
			continue
		}
		if seq > v.cursor+1 {
			w.catchUp(n, v)
		}
		if seq == v.cursor+1 {
			w.reveal(v, seq, ev)
		}
	}
}

// catchUp shows a watcher all missing events from the store.
func (w *World) catchUp(n *node, v *watcher) bool {
	events := w.db.events[v.session]
	if n.cutOff || v.cursor >= len(events) {
		return false
	}
	for seq := v.cursor + 1; seq <= len(events); seq++ {
		w.reveal(v, seq, events[seq-1])
	}
	return true
}

func (w *World) reveal(v *watcher, seq int, ev event) {
	w.audit.shown(w, v, seq, ev)
	v.cursor = seq
	w.tally.Shown++
}
