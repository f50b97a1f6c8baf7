package laws_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/internal/front/web"
)

// node is a process on a stage: the one that has its turns, and, where a stop
// comes in elsewhere, another one. It is wired as bellcord serve wires it.
type node struct {
	*hub.Hub
	front web.Hub // the hub as the web front sees it
	store stored
	bus   *cluster.Bus // nil where it has only the store
}

// leased is a store whose nodes may start something only while they count as
// alive.
type leased interface{ Leased() bool }

// openNode opens a hub on a store, through a door before it, and joins it to the
// others where there is a network.
func (s *stage) openNode(store stored, door bellcord.Store, network *server.Server, opts hub.Options) *node {
	s.t.Helper()
	n := &node{store: store}
	var err error
	if shared, is := store.(leased); is {
		opts.Leased = shared.Leased
	}
	if network != nil {
		// Hours pass here: nobody asks every moment whether the other is there.
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

// entrance is the node where people's stops come in.
func (s *stage) entrance() *node { return s.nodes[len(s.nodes)-1] }

// openNetwork starts a NATS that exists in memory only.
func openNetwork(t *testing.T) *server.Server {
	t.Helper()
	network, err := server.NewServer(&server.Options{DontListen: true, NoLog: true, NoSigs: true, NoSystemAccount: true, PingInterval: 24 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	network.Start()
	return network
}

// closeNodes lets the nodes go, the turns' own last. The network goes before
// their connections do, so that none has anything to flush: the client of NATS
// may take timers for that which other bubbles had.
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
		synctest.Wait() // all know that it has gone
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
