package cluster_test

import (
	"net/url"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/bellcord/bellcord"
)

// three starts a cluster of three NATS servers.
func three(t *testing.T) []*server.Server {
	t.Helper()
	var all []*server.Server
	var routes []*url.URL
	for _, name := range []string{"one", "two", "three"} {
		s := serve(t, server.Options{ServerName: name, Routes: routes, Cluster: server.ClusterOpts{
			Name: "cell", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoAdvertise: true,
		}})
		all, routes = append(all, s), append(routes, &url.URL{Scheme: "nats", Host: s.ClusterAddr().String()})
	}
	until(t, "the servers know each other", func() bool {
		for _, s := range all {
			if s.NumRoutes() == 0 {
				return false
			}
		}
		return true
	})
	return all
}

func TestNode_DifferentServersOfANATSCluster_ReachEachOther(t *testing.T) {
	t.Parallel()
	servers := three(t)
	s := &stage{t: t, place: place(t)}
	var nodes []*node
	for _, server := range servers {
		s.url = server.ClientURL()
		nodes = append(nodes, s.join())
	}
	a, b, c := nodes[0], nodes[1], nodes[2]
	session := settledAt(b, a, c)
	viewer := c.watch(session)
	defer viewer.Close()
	until(t, "b knows that c watches", func() bool { return b.bus.Elsewhere(session) })
	turn := a.prompt(session, "hang")
	until(t, "b runs it", func() bool { _, ran := b.ran(turn); return ran })
	if r := c.settles(bellcord.StopTurn(turn, by)); !same(t, r, b.record(turn).Receipt) {
		t.Errorf("%+v", r)
	}
	inOrder(t, read(t, viewer, turn), b.events(session))
	took, err := a.Ping(inTime(t), c.id)
	t.Logf("from one server to another and back: %v, %v", took, err)
}

// A node has the addresses of all servers, and connects to another one when
// its server is gone.
func TestNode_NATSServerGone_ConnectsToAnotherServer(t *testing.T) {
	t.Parallel()
	servers := three(t)
	s := &stage{t: t, place: place(t), url: servers[1].ClientURL()}
	b := s.join()
	a := s.join(func(with *setup) {
		with.URLs = servers[0].ClientURL() + "," + servers[1].ClientURL() + "," + servers[2].ClientURL()
	})
	session := settledAt(b, a)
	viewer := a.watch(session)
	defer viewer.Close()
	servers[0].Shutdown()
	turn := b.runs(session, "hang")
	until(t, "a is back", func() bool { _, err := a.Ping(inTime(t), b.id); return err == nil })
	until(t, "b knows that a watches", func() bool { return b.bus.Elsewhere(session) })
	if r := a.settles(bellcord.StopTurn(turn, by)); r.End != bellcord.EndStopped {
		t.Errorf("%+v", r)
	}
	inOrder(t, read(t, viewer, turn), b.events(session))
}
