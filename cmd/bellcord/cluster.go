package main

import (
	"context"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/api"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/store/postgres"
)

// sharedSweep is how often a node of several looks at the store for what the bus
// did not bring.
const sharedSweep = 500 * time.Millisecond

// openHub opens the hub, as one of several where the store is for that.
func (h *house) openHub(ctx context.Context, c config.Config, opts bellcord.Options) (err error) {
	shared, is := h.store.(*postgres.Store)
	if is {
		opts.Leased, opts.Sweep = shared.Leased, sharedSweep
	}
	if is && c.Cluster.NATS != "" {
		h.bus, err = cluster.Dial(cluster.Config{
			URLs: c.Cluster.NATS, Prefix: c.Cluster.Prefix, Creds: c.Cluster.Creds, CA: c.Cluster.CA, Cert: c.Cluster.Cert, Key: c.Cluster.Key,
			Name: c.Cluster.Name, Directory: shared, Deleted: h.letGo, Logger: h.logger,
		})
		if err != nil {
			return err
		}
		opts.Peers, opts.Watch = h.bus, both(opts.Watch, h.bus.Committed)
	}
	h.Hub, err = bellcord.Open(ctx, h.store, h.agents, opts)
	if err == nil && h.bus != nil {
		h.node, err = h.bus.Join(h.Hub)
	}
	if err != nil && h.bus != nil {
		h.bus.Close()
	}
	return err
}

func both(one, other func(bellcord.Commit)) func(bellcord.Commit) {
	if one == nil {
		return other
	}
	return func(c bellcord.Commit) { other(c); one(c) }
}

// front is the hub as fronts that serve several people see it.
func (h *house) front() web.Hub {
	if h.node != nil {
		return h.node
	}
	return h.Hub
}

// elsewhere says whether a session may be watched at other nodes; nil where
// there are none.
func (h *house) elsewhere() func(bellcord.SessionID) bool {
	if h.bus == nil {
		return nil
	}
	return h.bus.Elsewhere
}

// drain tells the other nodes that this one takes leave.
func (h *house) drain() {
	shared, is := h.store.(*postgres.Store)
	if !is {
		return
	}
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	if err := shared.Drain(ctx); err != nil {
		h.logger.Warn("telling the other nodes that this one takes leave", "err", err)
	}
}

// pingTime is how long a node may take to be heard over the bus.
const pingTime = 500 * time.Millisecond

// nodes lists the nodes that share the store, as it knows them, and how long
// each takes to answer over the bus.
func (h *house) nodes(ctx context.Context) ([]api.Node, error) {
	shared, is := h.store.(*postgres.Store)
	if !is {
		stats := h.Stats()
		return []api.Node{{Name: "this one", Version: version, Self: true, Running: stats.Running, Queued: stats.Queued + stats.Held, Draining: stats.Draining}}, nil
	}
	known, err := shared.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]api.Node, len(known))
	for i, n := range known {
		all[i] = api.Node{
			ID: n.ID, Name: n.Name, Version: n.Version, Started: n.Started, Self: n.ID == shared.NodeID(),
			Heard: n.Heard.Seconds(), Lease: n.Left.Seconds(), Draining: n.Draining, Running: n.Running, Queued: n.Queued,
		}
		if h.node == nil || all[i].Self {
			continue
		}
		soon, done := context.WithTimeout(ctx, pingTime)
		if took, err := h.node.Ping(soon, n.ID); err == nil {
			all[i].Bus = took.Seconds()
		}
		done()
	}
	return all, nil
}
