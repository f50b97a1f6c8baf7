package machine

import "github.com/bellcord/bellcord/lifecycle"

// claim starts a queued turn. The same transaction renews an expired lease and
// increments the fence.
func (w *World) claim(by nodeID, o *op, d lifecycle.Decision) answer {
	row, node := &w.db.turns[o.turn], w.db.node(by)
	if w.rules.ClaimChecksLease && node != nil && node.leaseUntil <= w.db.now {
		node.leaseUntil = w.db.now + lease // expired, but no other node has taken over
	}
	row.state, row.node, row.claimed, row.fence = running, by, o.at, int(d.Fence)
	w.tally.Claims++
	a := answer{fence: row.fence, stop: row.stop}
	w.audit.claimed(w, by, o.turn, row.session, row.fence)
	w.appendEvent(&a, row.session, event{turn: o.turn, kind: started})
	return a
}

// register adds a node's row.
func (w *World) register(id nodeID) {
	w.db.nodes = append(w.db.nodes, nodeRow{id: id, leaseUntil: w.db.now + lease})
}

// renew renews a node's lease, even an expired one, as long as its row exists.
func (w *World) renew(id nodeID) (alive bool) {
	row := w.db.node(id)
	if row == nil {
		return false
	}
	row.leaseUntil = w.db.now + lease
	return true
}

// takeOver removes the nodes with an expired lease and assigns their unended
// turns to the given node, in one transaction. From then on, their claims and
// writes are rejected. A node with an expired lease takes over nothing.
func (w *World) takeOver(by nodeID) {
	if own := w.db.node(by); own == nil || own.leaseUntil <= w.db.now {
		return
	}
	for i := 0; i < len(w.db.nodes); {
		dead := w.db.nodes[i]
		if dead.leaseUntil >= w.db.now || dead.id == by {
			i++
			continue
		}
		w.db.nodes = append(w.db.nodes[:i], w.db.nodes[i+1:]...)
		w.audit.removed(dead.id)
		w.tracef("node %d takes over from node %d", int(by), int(dead.id))
		w.tally.TakeOvers++
		w.inherit(by, dead.id)
	}
}

func (w *World) inherit(by, dead nodeID) {
	for i := range w.db.turns {
		row := &w.db.turns[i]
		if !row.exists || row.node != dead || row.state == over {
			continue
		}
		row.node, row.taken, row.applied = by, true, 0
		if w.rules.TakeOverRaisesFence {
			row.fence++
		}
		w.audit.inherited(turn(i), by, row.fence)
	}
}

// leaveCluster removes a node. If it has unended turns, its row stays with an
// expired lease, and the next node that polls takes the turns over.
func (w *World) leaveCluster(id nodeID) {
	row := w.db.node(id)
	if row == nil {
		return
	}
	row.leaseUntil = 0
	if w.db.unended(id) {
		return
	}
	for i := range w.db.nodes {
		if w.db.nodes[i].id == id {
			w.db.nodes = append(w.db.nodes[:i], w.db.nodes[i+1:]...)
			break
		}
	}
	w.audit.removed(id)
}
