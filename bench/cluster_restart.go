package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord/client"
)

// What lives while nodes are restarted, at full size: so many turns at a time,
// each of so many words.
const (
	rollingTurns  = 300
	rollingWords  = 100
	rollingPace   = 200 * time.Millisecond
	rollingPrompt = "[slow 100 200ms] go"
)

// clusterRestart restarts three nodes one after the other while turns run, are
// watched, and come: none may be lost or stopped, no viewer may miss an event or
// see one twice.
func clusterRestart(ctx context.Context, out io.Writer, s *clusterStage) error {
	for _, name := range []string{"a", "b", "c"} {
		if _, err := s.startNode(ctx, name); err != nil {
			return err
		}
	}
	proxy, err := openNodeProxy(s.nodes)
	if err != nil {
		return err
	}
	defer proxy.listener.Close()
	server, err := client.New(proxy.url(), s.token)
	if err != nil {
		return err
	}
	c := &rollingCrowd{stage: s, proxy: proxy, server: server, guests: make([][]*rollingTurn, scaled(rollingTurns))}
	fmt.Fprintf(out, "rolling restart of %d nodes with %d live turns of %v each, one viewer per turn, and new prompts throughout\n",
		len(s.nodes), len(c.guests), rollingWords*rollingPace)
	gone := make(chan error, 1)
	go func() { gone <- together(len(c.guests), func(i int) error { return c.visit(ctx, i) }) }()
	began := time.Now()
	times, err := c.rollThrough(ctx)
	took := time.Since(began)
	c.over.Store(true)
	if visits := <-gone; err == nil {
		err = visits
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "  per node, SIGTERM to exit and start to serving: %s\n", strings.Join(times, ", "))
	fmt.Fprintf(out, "  %.1f s in total; %d turns can take %v to finish by themselves\n", took.Seconds(), len(c.guests), rollingWords*rollingPace)
	return c.audit(ctx, out)
}

// rollingCrowd is who comes while the nodes are restarted.
type rollingCrowd struct {
	stage   *clusterStage
	proxy   *nodeProxy
	server  *client.Client
	guests  [][]*rollingTurn // by guest; each has its own
	over    atomic.Bool      // nobody new comes
	refused atomic.Int64     // prompts that a node which took leave did not take
	cut     atomic.Int64     // streams that broke and went on
}

// rollThrough restarts the nodes, one after the other, and says how long each
// took.
func (c *rollingCrowd) rollThrough(ctx context.Context) ([]string, error) {
	const calm = 5 * time.Second // until turns are everywhere
	var times []string
	for i, n := range c.stage.nodes {
		if err := pause(ctx, calm); err != nil {
			return nil, err
		}
		began := time.Now()
		if err := n.shutDown(); err != nil {
			return nil, err
		}
		left := time.Now()
		if err := n.startTurn(ctx); err != nil {
			return nil, err
		}
		c.proxy.set(i, n.url)
		times = append(times, fmt.Sprintf("%s %.1f s and %.1f s", n.name, left.Sub(began).Seconds(), time.Since(left).Seconds()))
	}
	return times, pause(ctx, calm)
}
