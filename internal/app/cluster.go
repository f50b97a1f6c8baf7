package app

import (
	"context"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/internal/config"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// sharedSweep is the interval at which a node polls a shared store.
const sharedSweep = 500 * time.Millisecond

// openHub opens the hub. With a shared store, it is one of several nodes.
func (a *App) openHub(ctx context.Context) (err error) {
	c := a.config.Settings
	opts := hub.Options{Logger: a.logger, Watch: both(a.config.Watch, a.recovery.watch), Admission: a.config.Admission}
	opts.MayForward = func() error { return RefuseInsideTurn(c.DataDir) }
	opts.Idle = -1 // the server closes idle sessions together with their MCP servers
	if a.reports != nil {
		opts.Watch = both(opts.Watch, a.reports.watch)
	}
	if opts.Output = c.Limits.MaxOutputBytes; opts.Output == 0 {
		opts.Output = -1 // record no output; 0 would select the hub's default
	}
	opts.Hide = a.config.Secrets.Hide
	shared, is := a.Store.(*postgres.Store)
	if is {
		opts.Leased, opts.Clock, opts.Sweep = shared.Leased, shared.Clock, sharedSweep
		if off := ClockOffset(shared); off != "" {
			a.logger.Warn("this machine's clock differs from the database's; times in this log are wrong until it is synchronized (NTP)", "clock", off)
		}
	}
	if is && c.Cluster.NATSURL != "" {
		bus := BusConfig(c)
		bus.SigningKey, bus.Now, bus.Directory, bus.Deleted, bus.Logger = shared.SigningKey(), shared.Now, shared, a.SessionDeleted, a.logger
		bus.Undo = a.undoHere
		bus.Texts = a.Files().Files.Texts
		if a.bus, err = cluster.Dial(bus); err != nil {
			return err
		}
		opts.Peers, opts.Watch = a.bus, both(opts.Watch, a.bus.Committed)
	}
	a.Hub, err = hub.Open(ctx, a.Store, a.agents, opts)
	a.agents.setHub(a.Hub)
	if err == nil && a.bus != nil {
		a.node, err = a.bus.Join(a.Hub)
	}
	if err == nil && is {
		go a.refuseWhenOutdated(shared) //nolint:gosec // it ends with the App, not with the call
	}
	if err != nil && a.bus != nil {
		a.bus.Close()
	}
	return err
}

// BusConfig returns the NATS connection settings.
func BusConfig(c config.Config) cluster.Config {
	return cluster.Config{
		URLs: c.Cluster.NATSURL, Prefix: c.Cluster.NATSSubjectPrefix, Creds: c.Cluster.NATSCredentialsFile, CA: c.Cluster.NATSCAFile, Cert: c.Cluster.NATSCertFile, Key: c.Cluster.NATSKeyFile,
		Name: c.Cluster.NodeName,
	}
}

// mostClockOff is the difference between this machine's clock and the
// database's up to which no warning is logged. Only displayed times depend on
// it.
const mostClockOff = 5 * time.Second

// ClockOffset returns the difference between this machine's clock and the
// database's, or "" if it is too small to matter.
func ClockOffset(s *postgres.Store) string {
	switch ahead := time.Since(s.Now()).Round(time.Second); {
	case ahead > mostClockOff:
		return ahead.String() + " ahead"
	case ahead < -mostClockOff:
		return ahead.Abs().String() + " behind"
	}
	return ""
}

func both(one, other func(store.Commit)) func(store.Commit) {
	if one == nil {
		return other
	}
	return func(c store.Commit) { other(c); one(c) }
}

// refuseWhenOutdated accepts no more turns once the schema is newer than this
// program.
func (a *App) refuseWhenOutdated(shared *postgres.Store) {
	select {
	case <-shared.WhenOutdated():
		ctx, done := context.WithTimeout(context.Background(), 0)
		defer done()
		_ = a.Hub.WaitForTurns(ctx) // only stops new turns: ctx has already expired
	case <-a.closing:
	}
}

// Outdated returns a channel that is closed once the schema of the store is newer
// than this program; nil if that cannot happen.
func (a *App) Outdated() <-chan struct{} {
	if shared, is := a.Store.(*postgres.Store); is {
		return shared.WhenOutdated()
	}
	return nil
}

// OutdatedError returns the reason why this program can no longer use the
// store, or nil if it can.
func (a *App) OutdatedError() error {
	if shared, is := a.Store.(*postgres.Store); is {
		return shared.Outdated()
	}
	return nil
}

// Front returns the hub for fronts that serve several people. With NATS, it
// reaches the turns of all nodes.
func (a *App) Front() web.Hub {
	if a.node != nil {
		return a.node
	}
	return a.Hub
}

// WatchedElsewhere returns a function that reports whether a session may be
// watched at other nodes, or nil without NATS.
func (a *App) WatchedElsewhere() func(bellcord.SessionID) bool {
	if a.bus == nil {
		return nil
	}
	return a.bus.Elsewhere
}

// AnnounceLeave marks this node as draining for the other nodes.
func (a *App) AnnounceLeave() {
	shared, is := a.Store.(*postgres.Store)
	if !is {
		return
	}
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	if err := shared.Drain(ctx); err != nil {
		a.logger.Warn("could not mark this node as draining", "err", err)
	}
}

// pingTime is the maximum time that a node may take to answer over the bus.
const pingTime = 500 * time.Millisecond

// Nodes returns the nodes that share the store, each with its response time
// over the bus.
func (a *App) Nodes(ctx context.Context) ([]api.Node, error) {
	shared, is := a.Store.(*postgres.Store)
	if !is {
		stats := a.Hub.Stats()
		return []api.Node{{Name: "this one", Version: a.config.Version, Self: true, Running: stats.Running, Queued: stats.Queued + stats.Held, Draining: stats.Draining}}, nil
	}
	nodes, err := shared.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]api.Node, len(nodes))
	for i, n := range nodes {
		all[i] = api.Node{
			ID: n.ID, Name: n.Name, Version: n.Version, Started: n.Started, Self: n.ID == shared.NodeID(),
			LeaseAge: n.LeaseAge.Seconds(), LeaseRemaining: n.Left.Seconds(), Draining: n.Draining, Running: n.Running, Queued: n.Queued,
		}
		if a.node == nil || all[i].Self {
			continue
		}
		soon, done := context.WithTimeout(ctx, pingTime)
		if took, err := a.node.Ping(soon, n.ID); err == nil {
			all[i].NATSRoundTrip = took.Seconds()
		}
		done()
	}
	return all, nil
}
