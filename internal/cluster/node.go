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

// Node is a hub that is one of several. It has the hub's verbs; those that
// concern a turn of another node are passed on to it.
type Node struct {
	*hub.Hub
	bus *Bus
}

// Join begins to hear the others.
func (b *Bus) Join(hub *hub.Hub) (*Node, error) {
	n := &Node{Hub: hub, bus: b}
	_, told := b.control.Subscribe(b.everybody(), n.hear)
	_, asked := b.control.Subscribe(b.controlOf(b.self), n.hear)
	_, shown := b.events.Subscribe(b.eventsFor(b.self), n.deliverFrames)
	if err := errors.Join(told, asked, shown); err != nil {
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
	if err := json.Unmarshal(got.payload, &events); err != nil { // of a newer version, perhaps; the store has them
		n.bus.logger.Warn("cannot read events from another node", "err", err)
		return
	}
	n.ApplyRemoteEvents(events)
}

// hear takes what other nodes say. A stop is told at once, and nothing here
// waits for anything: what takes time has a goroutine of its own.
func (n *Node) hear(m *nats.Msg) {
	got, err := n.bus.guard.accept(m.Subject, m.Data)
	switch {
	case errors.Is(err, errTime) && m.Reply != "":
		n.sendReply(m, got, reply{Refused: err.Error()})
		return
	case err != nil:
		return
	case m.Reply != "":
		go n.serveVerb(m, got) // bounded by who asks: answered or not, it ends with its verb
		return
	}
	var said notice
	if err := json.Unmarshal(got.payload, &said); err != nil {
		n.bus.logger.Warn("cannot read a notice from another node", "err", err)
		return
	}
	switch {
	case said.Stop != nil:
		n.relay(got.node, *said.Stop)
	case len(said.Views) > 0:
		n.bus.watches.addWatch(got.node, true, said.Views...)
	case len(said.Awaits) > 0:
		n.bus.watches.addWatch(got.node, false, said.Awaits...)
	case said.Hello:
		n.bus.announce(n.bus.controlOf(got.node))
	case said.Idle != "":
		n.ApplyRemoteIdle(said.Idle)
	case said.Deleted != "":
		n.ForgetSession(said.Deleted)
		n.bus.config.Deleted(said.Deleted)
	}
}

// Stop implements bellcord.Peers: everybody is told, and whoever has the turn
// stops it.
func (b *Bus) Stop(req bellcord.StopRequest) {
	req.Relayed = true
	b.publishNotice(b.everybody(), notice{Stop: &req})
}

// idleGrace is how long an end may take to be durable before who asked for it is
// told that at least no work remains.
const idleGrace = 20 * time.Millisecond

// relay tells a stop to the turns that this node has. Who asked then hears of
// their ends: it need not watch.
func (n *Node) relay(from string, req bellcord.StopRequest) {
	req.Relayed = true
	for _, t := range n.Hub.Stop(req).Turns() {
		n.bus.watches.addWatch(from, false, hashOf(t.Session))
		go n.reportIdle(from, t) // lives as long as the turn
	}
}

func (n *Node) reportIdle(to string, t *hub.Turn) {
	select {
	case <-t.Settled(): // its end says all
		return
	case <-t.Idle():
	}
	select {
	case <-t.Settled():
	case <-time.After(idleGrace):
		at, done := context.WithTimeout(context.Background(), 0)
		defer done()
		if t.Accepted(at) == nil { // else nobody can say that it will have an end
			n.bus.publishNotice(n.bus.controlOf(to), notice{Idle: t.ID})
		}
	}
}

// NewSession makes a session. Which node it will be at home with, its first
// prompt decides.
func (n *Node) NewSession(ctx context.Context, s bellcord.Session) (bellcord.Session, error) {
	made, err := n.Hub.NewSession(ctx, s)
	if err == nil {
		n.ForgetSession(made.ID)
	}
	return made, err
}

// DeleteSession deletes a session, and what other nodes have of it.
func (n *Node) DeleteSession(ctx context.Context, id bellcord.SessionID, cause bellcord.Cause) error {
	err := n.Hub.DeleteSession(ctx, id, cause)
	if err == nil {
		n.bus.publishNotice(n.bus.everybody(), notice{Deleted: id})
	}
	return err
}
