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

// The load during the restarts at full size: the number of concurrent turns, and of words in each.
const (
	rollingTurns  = 300
	rollingWords  = 100
	rollingPace   = 200 * time.Millisecond
	rollingPrompt = "[slow 100 200ms] go"
)

// clusterRestart restarts three nodes one after the other while turns run, are watched and are
// submitted. No turn may be lost or stopped, and no viewer may miss an event or receive one twice.
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
	visited := make(chan error, 1)
	go func() { visited <- together(len(c.guests), func(i int) error { return c.visit(ctx, i) }) }()
	began := time.Now()
	times, err := c.rollThrough(ctx)
	took := time.Since(began)
	c.over.Store(true)
	if visits := <-visited; err == nil {
		err = visits
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "  per node, SIGTERM to exit and start to serving: %s\n", strings.Join(times, ", "))
	fmt.Fprintf(out, "  %.1f s in total; %d turns can take %v to finish by themselves\n", took.Seconds(), len(c.guests), rollingWords*rollingPace)
	return c.audit(ctx, out)
}

// rollingCrowd is the load while the nodes are restarted.
type rollingCrowd struct {
	stage   *clusterStage
	proxy   *nodeProxy
	server  *client.Client
	guests  [][]*rollingTurn // by guest; each guest writes only its entry
	over    atomic.Bool      // no more turns are submitted
	refused atomic.Int64     // prompts that a draining node rejected
	cut     atomic.Int64     // streams that broke and were resumed
}

// rollThrough restarts the nodes one after the other and returns how long each restart took.
func (c *rollingCrowd) rollThrough(ctx context.Context) ([]string, error) {
	const calm = 5 * time.Second // until turns run on all nodes
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
