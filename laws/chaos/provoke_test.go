//go:build linux

package chaos_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// Crowds for one purpose each.
var (
	// streaming keeps a long answer running in each of many sessions.
	streaming = crowdSize{drivers: 2, rooms: 30, turns: 1 << 20, pause: 60 * time.Millisecond, script: longAnswer, deed: (*driver).keepBusy}
	// noDrivers has no drivers: only the provocation uses its sessions.
	noDrivers = crowdSize{rooms: 12, turns: 1 << 20, script: longAnswer, pause: time.Second}
)

func longAnswer(_ *rand.Rand, _ string, id bellcord.TurnID) string {
	return "[slow 400 15ms] " + string(id)
}

// keepBusy prompts a session without a running turn. Each session uses one
// node.
func (d *driver) keepBusy() {
	c := d.crowd
	r := c.rooms[d.home.index+len(c.s.nodes)*d.chance.IntN(len(c.rooms)/len(c.s.nodes))]
	if r.backlog() == 0 {
		turn := d.newTurn()
		turn.WhenBusy = ""
		d.prompt(d.home, r, turn)
	}
}

// Queries for turns that a node has taken over: turns that still run, and
// queued turns in a session without a running turn.
const (
	takenRunning = `SELECT coalesce(max(name), '') FROM turns JOIN witness.lives USING (node) WHERE taken AND state = 'running'`
	takenWaiting = `SELECT coalesce(max(name), '') FROM turns JOIN witness.lives USING (node) WHERE taken AND state = 'queued'
		AND NOT EXISTS (SELECT 1 FROM turns AS others WHERE others.session = turns.session AND others.state = 'running')`
)

// wakeBehindATakeOver pauses a node until another one is taking over its turns,
// kills that one so that the turns stay unended, and resumes the first: its
// lease has expired, and its turns belong to another node but have not ended.
func (s *stage) wakeBehindATakeOver(round int) {
	victim := s.nodes[round%len(s.nodes)]
	<-time.After(1500 * time.Millisecond) // lets turns start
	defer victim.troubled()()
	victim.signal(syscall.SIGSTOP)
	defer victim.signal(syscall.SIGCONT)
	s.killTaker(takenRunning)
	victim.signal(syscall.SIGCONT)
	<-time.After(time.Second)
}

// claimBehindATakeOver queues turns at a node behind running turns of another
// node, and cuts off the first. Its claims, which its lease still allows, are
// delayed until its turns have been taken over but have not ended. Then they
// arrive. The lease check before a claim cannot prevent this.
func (s *stage) claimBehindATakeOver(round int) {
	victim, other := s.nodes[round%len(s.nodes)], s.nodes[(round+1)%len(s.nodes)]
	s.each(other, "[slow 75 20ms]") // they end before the lease does
	victim.nats.set(shut)           // otherwise prompts are forwarded to the sessions' node
	defer victim.nats.set(open)
	s.each(victim, "[slow 10 20ms]")
	defer victim.troubled()()
	victim.pg.set(hole)
	s.killTaker(takenWaiting)
	victim.pg.set(open)
	<-time.After(time.Second)
}

// killTaker waits until a node has taken over turns that match the query, and
// kills it.
func (s *stage) killTaker(taken string) {
	taker := s.awaitTaker(taken)
	if taker == nil {
		s.logf("no take-over was seen")
		return // the node was too fast, or had nothing to take over
	}
	taker.stayDown(time.Second)
	taker.signal(syscall.SIGKILL)
	s.logf("%s is killed while it takes over", taker.name)
}

// awaitTaker returns the node that has taken over turns that match the query.
func (s *stage) awaitTaker(taken string) *node {
	ctx, done := within(lease + 3*time.Second)
	defer done()
	conn, err := s.connect(ctx)
	if err != nil {
		s.t.Error(err)
		return nil
	}
	defer conn.Close(context.Background())
	for ctx.Err() == nil {
		var name string
		if err := conn.QueryRow(ctx, taken).Scan(&name); err != nil {
			return nil
		}
		for _, n := range s.nodes {
			if strings.HasPrefix(name, n.name+"-") {
				return n
			}
		}
	}
	return nil
}

// each prompts one turn with the script in every session, at one node, and
// returns the accepted ones.
func (s *stage) each(at *node, script string) []bellcord.TurnID {
	var mu sync.Mutex
	var all []bellcord.TurnID
	var prompting sync.WaitGroup
	for _, r := range s.crowd.rooms {
		prompting.Go(func() {
			id := bellcord.NewTurnID()
			if a := at.prompt(r.id, api.NewTurn{ID: string(id), Text: script + " " + string(id)}); a.accepted() {
				r.sends(id)
				mu.Lock()
				defer mu.Unlock()
				all = append(all, id)
			}
		})
	}
	prompting.Wait()
	s.logf("%s accepts %d turns %s", at.name, len(all), script)
	return all
}

// stopAll stops turns at a node concurrently.
func (s *stage) stopAll(at *node, ids []bellcord.TurnID) {
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() { at.stop(id, api.Stop{Wait: "1ms", Queue: "next"}) })
	}
	all.Wait()
}

// stopBehindTheOwnersBack cuts off the owner while its turns end, and another
// node records stops for them.
func (s *stage) stopBehindTheOwnersBack(round int) {
	owner, other := s.nodes[round%3], s.nodes[(round+1)%3]
	ids := s.each(owner, "[slow 30 20ms]")
	<-time.After(200 * time.Millisecond) // lets all turns start
	owner.nats.set(hole)
	owner.pg.set(hole)
	s.stopAll(other, ids)
	<-time.After(time.Second)
	owner.pg.set(open)
	owner.nats.set(open)
	<-time.After(time.Second)
	s.inspect()
}

// stopWhereNobodyListens disconnects NATS, so that stops travel only through
// the store.
func (s *stage) stopWhereNobodyListens(round int) {
	owner, other := s.nodes[round%3], s.nodes[(round+1)%3]
	owner.nats.set(shut)
	ids := s.each(owner, "[slow 50 20ms]")
	s.stopAll(other, ids)
	<-time.After(1500 * time.Millisecond)
	owner.nats.set(open)
	s.inspect()
}

// stopSessionsElsewhere stops the sessions of the node with the latest clock at the
// node with the earliest one.
func (s *stage) stopSessionsElsewhere(int) {
	byClock := slices.SortedFunc(slices.Values(s.nodes), func(a, b *node) int { return a.clock() - b.clock() })
	other, owner := byClock[0], byClock[len(byClock)-1]
	s.logf("the clock of %s is wrong by %d s, that of %s by %d s", owner.name, owner.clock(), other.name, other.clock())
	owner.nats.set(shut) // otherwise prompts are forwarded to the sessions' node
	s.each(owner, "[slow 50 100ms]")
	owner.nats.set(open)
	<-time.After(2 * scopeSlack)
	var all sync.WaitGroup
	for _, r := range s.crowd.rooms {
		all.Go(func() { other.stopSession(r.id, api.Stop{Wait: "1s", Queue: "drop"}) })
	}
	all.Wait()
	s.inspect()
}

// loseManyAnswers drops the commit acknowledgements of every node.
func (s *stage) loseManyAnswers(round int) {
	<-time.After(time.Second)
	var all sync.WaitGroup
	for i, n := range s.nodes {
		all.Go(func() { s.loseAnswers(n, rand.New(rand.NewPCG(uint64(round), uint64(i)))) })
	}
	all.Wait()
	if round%3 == 2 {
		s.rest(0)
		s.audit()
		if s.innocent() {
			s.crowd = s.admit(s.crowd.size)
		}
	}
}

// inspect waits until every turn has ended and then runs the audit.
func (s *stage) inspect() {
	if s.awaitEnds(); s.innocent() {
		s.logf("inspected: %s", s.audit())
	}
}
