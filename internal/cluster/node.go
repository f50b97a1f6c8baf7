package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
)

// Node is a hub in a cluster. It has the methods of the hub; those about a
// turn of another node are passed to that node.
type Node struct {
	*hub.Hub
	bus *Bus
}

// Join subscribes the hub to the messages of other nodes and announces this
// node.
func (b *Bus) Join(hub *hub.Hub) (*Node, error) {
	n := &Node{Hub: hub, bus: b}
	_, broadcastErr := b.control.Subscribe(b.everybody(), n.handleMessage)
	_, directErr := b.control.Subscribe(b.controlOf(b.self), n.handleMessage)
	_, eventsErr := b.events.Subscribe(b.eventsFor(b.self), n.deliverFrames)
	if err := errors.Join(broadcastErr, directErr, eventsErr); err != nil {
		return nil, err
	}
	b.greet()
	return n, nil
}

// deliverFrames passes events of other nodes to the viewers on this node.
func (n *Node) deliverFrames(m *nats.Msg) {
	got, err := n.bus.guard.accept(m.Subject, m.Data)
	if err != nil {
		return
	}
	var events []bellcord.Event
	if err := json.Unmarshal(got.payload, &events); err != nil { // possibly of a newer version; the store has them
		n.bus.logger.Warn("cannot read events from another node", "err", err)
		return
	}
	n.ApplyRemoteEvents(events)
}

// handleMessage handles a message of another node. A stop is applied immediately. It
// never waits: verbs run in separate goroutines.
func (n *Node) handleMessage(m *nats.Msg) {
	got, err := n.bus.guard.accept(m.Subject, m.Data)
	switch {
	case errors.Is(err, errTime) && m.Reply != "":
		n.sendReply(m, got, reply{Refused: err.Error()})
		return
	case err != nil:
		return
	case m.Reply != "":
		go n.serveVerb(m, got) // bounded by the caller: it ends with its verb, answered or not
		return
	}
	var decoded notice
	if err := json.Unmarshal(got.payload, &decoded); err != nil {
		n.bus.logger.Warn("cannot read a notice from another node", "err", err)
		return
	}
	switch {
	case decoded.Stop != nil:
		n.relay(got.node, *decoded.Stop)
	case len(decoded.Views) > 0:
		n.bus.watches.addWatch(got.node, true, decoded.Views...)
	case len(decoded.Awaits) > 0:
		n.bus.watches.addWatch(got.node, false, decoded.Awaits...)
	case decoded.Hello:
		n.bus.announce(n.bus.controlOf(got.node))
	case decoded.Idle != "":
		n.ApplyRemoteIdle(decoded.Idle)
	case decoded.Deleted != "":
		n.ForgetSession(decoded.Deleted)
		n.bus.config.Deleted(decoded.Deleted)
	}
}

// Stop implements hub.Peers. It sends the stop to all nodes; the node that has
// the turn stops it.
func (b *Bus) Stop(req bellcord.StopRequest) {
	req.Relayed = true
	b.publishNotice(b.everybody(), notice{Stop: &req})
}

// idleGrace is the time that an end may take to become durable. After it, the
// node that requested the stop is notified that no work remains.
const idleGrace = 20 * time.Millisecond

// relay applies a stop of another node to the turns of this node. The other
// node then receives their ends, even without a viewer.
func (n *Node) relay(from string, req bellcord.StopRequest) {
	req.Relayed = true
	for _, t := range n.Hub.Stop(req).Turns() {
		n.bus.watches.addWatch(from, false, hashOf(t.Session))
		go n.reportIdle(from, t) // ends with the turn
	}
}

func (n *Node) reportIdle(to string, t *hub.Turn) {
	select {
	case <-t.Settled(): // the end is sent as an event
		return
	case <-t.Idle():
	}
	select {
	case <-t.Settled():
	case <-time.After(idleGrace):
		at, done := context.WithTimeout(context.Background(), 0)
		defer done()
		if t.Accepted(at) == nil { // otherwise it is uncertain that the turn will have an end
			n.bus.publishNotice(n.bus.controlOf(to), notice{Idle: t.ID})
		}
	}
}

// NewSession creates a session. The node of its first prompt becomes its home
// node.
func (n *Node) NewSession(ctx context.Context, s bellcord.Session) (bellcord.Session, error) {
	made, err := n.Hub.NewSession(ctx, s)
	if err == nil {
		n.ForgetSession(made.ID)
	}
	return made, err
}

// DeleteSession deletes a session and notifies the other nodes, which release
// it.
func (n *Node) DeleteSession(ctx context.Context, id bellcord.SessionID, cause bellcord.Cause) error {
	err := n.Hub.DeleteSession(ctx, id, cause)
	if err == nil {
		n.bus.publishNotice(n.bus.everybody(), notice{Deleted: id})
	}
	return err
}
