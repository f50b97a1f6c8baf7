//go:build linux

package chaos_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// fault is a failure of one node or of one engine. It lasts until its function
// returns, except that a node that is down restarts by itself.
type fault struct {
	name   string
	strike func(s *stage, n *node, chance *rand.Rand)
	engine bool // affects no particular node
}

var faults = []fault{
	{name: "kill -9", strike: (*stage).killNode},
	{name: "pause past the lease", strike: (*stage).pausePast},
	{name: "short pause", strike: (*stage).pauseShort},
	{name: "drain", strike: (*stage).drain},
	{name: "postgres cut", strike: func(s *stage, n *node, c *rand.Rand) { s.isolate(n, shut, between(c, 300, 4500)) }},
	{name: "postgres black hole", strike: func(s *stage, n *node, c *rand.Rand) { s.isolate(n, hole, between(c, 300, 5500)) }},
	{name: "postgres answers lost", strike: (*stage).loseAnswers},
	{name: "nats cut", strike: func(_ *stage, n *node, c *rand.Rand) { silence(n, shut, between(c, 500, 3000)) }},
	{name: "nats black hole", strike: func(_ *stage, n *node, c *rand.Rand) { silence(n, hole, between(c, 500, 4000)) }},
	{name: "nats server killed", engine: true, strike: func(s *stage, _ *node, c *rand.Rand) { s.bus.outage(between(c, 200, 2500), c.IntN(3)) }},
	{name: "all of nats killed", engine: true, strike: func(s *stage, _ *node, c *rand.Rand) { s.bus.outage(between(c, 200, 2000), 0, 1, 2) }},
	{name: "postgres crashes", engine: true, strike: (*stage).crashes},
}

func between(c *rand.Rand, from, to int) time.Duration {
	return time.Duration(from+c.IntN(to-from)) * time.Millisecond
}

// burden starts a turn with long-lived processes on a node, in a separate
// session, so that processes could remain when the node ends.
func (s *stage) burden(n *node) {
	r := s.crowd.newSession(n)
	if r == nil {
		return // the node does not answer
	}
	id := bellcord.NewTurnID()
	s.book.meet(id)
	n.prompt(r.id, api.NewTurn{ID: string(id), Text: longProcess(s.marker, id)})
	r.retire()
	<-time.After(300 * time.Millisecond)
}

func (s *stage) killNode(n *node, c *rand.Rand) {
	s.burden(n)
	n.stayDown(between(c, 50, 3000))
	n.signal(syscall.SIGKILL)
}

func (s *stage) pausePast(n *node, c *rand.Rand) {
	s.burden(n)
	n.pause(lease + between(c, 300, 2500))
}

func (s *stage) pauseShort(n *node, c *rand.Rand) { n.pause(between(c, 100, 2500)) }

func (n *node) pause(d time.Duration) {
	defer n.troubled()()
	n.signal(syscall.SIGSTOP)
	<-time.After(d)
	n.signal(syscall.SIGCONT)
}

// drain shuts a node down gracefully; it has two seconds to finish the running
// turns.
func (s *stage) drain(n *node, c *rand.Rand) {
	n.stayDown(between(c, 50, 1000))
	_, life := n.address()
	a := act{verb: drained, node: n.index, life: life, called: s.since()}
	defer func() { a.returned = s.since(); s.book.note(a) }()
	n.restart()
	for began := time.Now(); time.Since(began) < 10*time.Second; <-time.After(20 * time.Millisecond) {
		if _, now := n.address(); now != life {
			break
		}
	}
}

// isolate disconnects a node from PostgreSQL.
func (s *stage) isolate(n *node, how passage, d time.Duration) {
	defer n.troubled()()
	n.pg.set(how)
	<-time.After(d)
	n.pg.set(open)
}

// loseAnswers drops the responses of PostgreSQL, so that a node's commits take
// effect but are not acknowledged.
func (s *stage) loseAnswers(n *node, c *rand.Rand) {
	defer n.troubled()()
	for range 1 + c.IntN(3) {
		n.pg.set(muted)
		<-time.After(between(c, 5, 300))
		n.pg.set(shut)
		<-time.After(between(c, 5, 100))
		n.pg.set(open)
		<-time.After(between(c, 50, 500))
	}
}

// silence disconnects a node from NATS.
func silence(n *node, how passage, d time.Duration) {
	n.nats.set(how)
	<-time.After(d)
	n.nats.set(open)
}

// crashes crashes PostgreSQL about once per second for a while.
func (s *stage) crashes(_ *node, c *rand.Rand) {
	for _, n := range s.nodes {
		defer n.troubled()()
	}
	for range 1 + c.IntN(4) {
		s.pg.crash(between(c, 0, 800))
		<-time.After(between(c, 300, 2500))
	}
}

// step is one or more simultaneous faults, followed by a pause.
type step struct {
	faults []fault
	nodes  []int
	quiet  time.Duration
}

// draw draws a step that is determined by the seed: mostly one fault, sometimes
// two. A kind is not repeated before all others have occurred.
func draw(chance *rand.Rand, bag *[]fault) step {
	s := step{quiet: between(chance, 200, 1500), nodes: chance.Perm(3)}
	if chance.IntN(6) == 0 {
		s.quiet += 2 * time.Second
	}
	for range 1 + chance.IntN(8)/5 {
		if len(*bag) == 0 {
			*bag = slices.Clone(faults)
			chance.Shuffle(len(*bag), func(i, j int) { (*bag)[i], (*bag)[j] = (*bag)[j], (*bag)[i] })
		}
		s.faults = append(s.faults, (*bag)[0])
		*bag = (*bag)[1:]
	}
	return s
}

// suffer injects faults for the given time and returns a summary.
func (s *stage) suffer(length time.Duration) string {
	s.t.Helper()
	chance := rand.New(rand.NewPCG(s.seed, 0xfa017))
	counts := map[string]int{}
	var bag []fault
	for began := time.Now(); time.Since(began) < length; {
		next := draw(chance, &bag)
		var all sync.WaitGroup
		for i, f := range next.faults {
			own := rand.New(rand.NewPCG(s.seed, chance.Uint64()))
			s.logf("%s at %s", f.name, s.nodes[next.nodes[i]].name)
			counts[f.name]++
			all.Go(func() { f.strike(s, s.nodes[next.nodes[i]], own) })
		}
		all.Wait()
		<-time.After(min(next.quiet, length))
	}
	return printCounts(counts)
}

func printCounts(counts map[string]int) string {
	total, parts := 0, []string{}
	for name, n := range counts {
		total += n
		parts = append(parts, fmt.Sprintf("%d %s", n, name))
	}
	sort.Strings(parts)
	return fmt.Sprintf("%d faults (%s)", total, strings.Join(parts, ", "))
}
