package memory

import (
	"context"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Node is a store.Store: one hub's view of a Memory.
type Node struct {
	*Memory
	id     string
	closed bool
}

var _ store.Store = (*Node)(nil)

// Open registers a node. Every hub needs a separate one.
func (m *Memory) Open() *Node {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := &Node{Memory: m, id: string(bellcord.NewSessionID())}
	m.nodes[n.id] = true
	return n
}

// Close leaves the node's unended turns to the other nodes.
func (n *Node) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed = true; n.registered() {
		n.nodes[n.id] = false
	}
	return nil
}

// registered reports whether no other node considers this one dead.
func (n *Node) registered() bool {
	_, is := n.nodes[n.id]
	return is
}

// Changed implements store.Watcher. It always reports a change: the caller then searches for new
// entries, which is cheap in memory.
func (n *Node) Changed(context.Context) (bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.registered() {
		return true, store.ErrFenced
	}
	return true, nil
}

// RecordedStops implements store.Watcher.
func (n *Node) RecordedStops(context.Context) ([]store.TurnRecord, error) {
	return n.unended(func(t *turn) bool { return t.Node == n.id && t.Stop != nil }), nil
}

// TakeOver implements store.Watcher.
func (n *Node) TakeOver(context.Context) ([]store.TurnRecord, error) {
	if err := n.bury(); err != nil {
		return nil, err
	}
	return n.unended(func(t *turn) bool { return t.Node == n.id && t.taken }), nil
}

// bury removes the dead nodes and takes over their unended turns. It raises the fence of each turn,
// so that every later write of its old node is rejected.
func (n *Node) bury() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.registered() {
		return store.ErrFenced
	}
	for _, t := range n.turns {
		if t.Node != n.id && !n.nodes[t.Node] && t.State != bellcord.StateEnded {
			t.Node, t.taken, t.applied, t.Fence = n.id, true, 0, t.Fence+1
		}
	}
	for id, alive := range n.nodes {
		if !alive && id != n.id {
			delete(n.nodes, id)
		}
	}
	return nil
}
