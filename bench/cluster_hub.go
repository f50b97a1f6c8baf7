package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// hubNode is a node in this process, connected as in bellcord serve, with a test agent. Both ends
// use one clock.
type hubNode struct {
	*cluster.Node
	store *postgres.Store
	bus   *cluster.Bus
}

func (s *clusterStage) openHub(ctx context.Context, name string, agent hub.Agent, watch func(store.Commit)) (*hubNode, error) {
	n := &hubNode{}
	log := slog.New(slog.DiscardHandler)
	var err error
	if n.store, err = postgres.Open(ctx, s.store, postgres.Options{Name: name, Logger: log}); err != nil {
		return nil, err
	}
	n.bus, err = cluster.Dial(cluster.Config{URLs: s.nats, Name: name, SigningKey: n.store.SigningKey(), Now: n.store.Now, Directory: n.store, Logger: log})
	if err != nil {
		return nil, errors.Join(err, n.store.Close())
	}
	hub, err := hub.Open(ctx, n.store, agent, hub.Options{
		Clock:  n.store.Clock,
		Leased: n.store.Leased, Sweep: 500 * time.Millisecond, Logger: log, Peers: n.bus,
		Watch: func(c store.Commit) {
			n.bus.Committed(c)
			if watch != nil {
				watch(c)
			}
		},
	})
	if err == nil {
		n.Node, err = n.bus.Join(hub)
	}
	if err != nil {
		n.bus.Close()
		return nil, errors.Join(err, n.store.Close())
	}
	return n, nil
}

func (n *hubNode) closeHub() error {
	ctx, done := context.WithTimeout(context.Background(), time.Minute)
	defer done()
	err := n.Close(ctx)
	n.bus.Close()
	return errors.Join(err, n.store.Close())
}

// startTurn starts a turn in a new session.
func (n *hubNode) startTurn(ctx context.Context) (*hub.Turn, error) {
	made, err := n.Hub.NewSession(ctx, bellcord.Session{Dir: "/"})
	if err != nil {
		return nil, err
	}
	return n.Prompt(made.ID, bellcord.Prompt{Text: "go"})
}
