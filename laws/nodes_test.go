package laws_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/store"
)

// node is a process of a stage: the one that runs the turns or, if stops arrive
// elsewhere, a second one. It is wired like bellcord serve.
type node struct {
	*hub.Hub
	front web.Hub // the hub as used by the web front
	store stored
	bus   *cluster.Bus // nil if the node has only the store
}

// leased is a store with nodes that may start turns only while they hold a
// lease.
type leased interface{ Leased() bool }

// openNode opens a hub that uses door, a wrapper of store, and connects it to
// the other nodes if there is a network.
func (s *stage) openNode(store stored, door store.Store, network *server.Server, opts hub.Options) *node {
	s.t.Helper()
	n := &node{store: store}
	var err error
	if shared, is := store.(leased); is {
		opts.Leased = shared.Leased
	}
	if network != nil {
		// Scenes last hours, so the nodes ping each other rarely.
		n.bus, err = cluster.Dial(cluster.Config{
			SigningKey: make([]byte, cluster.LeastKey),
			Directory:  store.(cluster.Directory),
			Options:    []nats.Option{nats.InProcessServer(network), nats.PingInterval(24 * time.Hour)},
		})
		if err != nil {
			s.t.Fatal(err)
		}
		opts.Peers, opts.Watch = n.bus, n.bus.Committed
	}
	if n.Hub, err = hub.Open(s.t.Context(), door, s.agent, opts); err != nil {
		s.t.Fatal(err)
	}
	n.front = n.Hub
	if n.bus != nil {
		if n.front, err = n.bus.Join(n.Hub); err != nil {
			s.t.Fatal(err)
		}
	}
	s.nodes = append(s.nodes, n)
	return n
}

// entrance returns the node that receives the users' stops.
func (s *stage) entrance() *node { return s.nodes[len(s.nodes)-1] }

// openNetwork starts a NATS server that accepts only in-memory connections.
func openNetwork(t *testing.T) *server.Server {
	t.Helper()
	network, err := server.NewServer(&server.Options{DontListen: true, NoLog: true, NoSigs: true, NoSystemAccount: true, PingInterval: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	network.Start()
	return network
}

// closeNodes closes the nodes, the one that runs the turns last. The network is
// shut down before their connections close, so that no connection has to flush:
// the NATS client may reuse timers of other bubbles for that.
func (s *stage) closeNodes() {
	s.t.Helper()
	for i := range s.nodes {
		if err := s.nodes[len(s.nodes)-1-i].Close(context.Background()); err != nil {
			s.t.Error(err)
		}
	}
	s.viewing.Wait()
	if s.network != nil {
		s.network.Shutdown()
		s.network.WaitForShutdown()
		synctest.Wait() // all nodes have noticed the shutdown
	}
	for _, n := range s.nodes {
		if n.bus != nil {
			n.bus.Close()
		}
	}
}

func (s *stage) closeStores() error {
	var err error
	for _, n := range s.nodes {
		err = errors.Join(err, n.store.Close())
	}
	return err
}
