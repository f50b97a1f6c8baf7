//go:build linux

package chaos_test

import (
	"context"
	"math/rand/v2"
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
	// nobody leaves the stage to the provocation, with sessions to use.
	nobody = crowdSize{rooms: 12, turns: 1 << 20, script: longAnswer, pause: time.Second}
)

func longAnswer(_ *rand.Rand, _ string, id bellcord.TurnID) string {
	return "[slow 400 15ms] " + string(id)
}

// keepBusy prompts a session in which nothing runs. Each session has one node.
func (d *driver) keepBusy() {
	c := d.crowd
	r := c.rooms[d.home.index+len(c.s.nodes)*d.chance.IntN(len(c.rooms)/len(c.s.nodes))]
	if r.backlog() == 0 {
		turn := d.newTurn()
		turn.Policy = ""
		d.prompt(d.home, r, turn)
	}
}

// Turns in the hands of a node that takes them over: ones that still run, and
// ones that wait in a session in which nothing runs any more.
const (
	takenRunning = `SELECT coalesce(max(name), '') FROM turns JOIN witness.lives USING (node) WHERE taken AND state = 'running'`
	takenWaiting = `SELECT coalesce(max(name), '') FROM turns JOIN witness.lives USING (node) WHERE taken AND state = 'queued'
		AND NOT EXISTS (SELECT 1 FROM turns AS others WHERE others.session = turns.session AND others.state = 'running')`
)

// wakeBehindATakeOver pauses a node until another one is in the middle of taking
// over its turns, kills that one so that they stay as they are, and wakes the
// first: its lease is gone, its turns are somebody else's, and have not ended.
func (s *stage) wakeBehindATakeOver(round int) {
	victim := s.nodes[round%len(s.nodes)]
	<-time.After(1500 * time.Millisecond) // for turns to start
	defer victim.troubled()()
	victim.signal(syscall.SIGSTOP)
	defer victim.signal(syscall.SIGCONT)
	s.killTaker(takenRunning)
	victim.signal(syscall.SIGCONT)
	<-time.After(time.Second)
}

// claimBehindATakeOver has turns wait at a node for those of another one to end,
// and cuts the first off. Its claims, which it may still make by its own lease,
// stay on their way until its turns have been taken over and not yet ended. Then
// they arrive. The lease that a node looks at before it claims cannot help here.
func (s *stage) claimBehindATakeOver(round int) {
	victim, other := s.nodes[round%len(s.nodes)], s.nodes[(round+1)%len(s.nodes)]
	s.each(other, "[slow 75 20ms]") // they end before the lease does
	victim.nats.set(shut)           // or the prompts would be passed on to where the sessions are at home
	defer victim.nats.set(open)
	s.each(victim, "[slow 10 20ms]")
	defer victim.troubled()()
	victim.pg.set(hole)
	s.killTaker(takenWaiting)
	victim.pg.set(open)
	<-time.After(time.Second)
}

// killTaker waits for a node that takes over what the query finds, and kills it.
func (s *stage) killTaker(taken string) {
	taker := s.awaitTaker(taken)
	if taker == nil {
		s.remember("no take-over was seen")
		return // it was too quick, or there was nothing to take
	}
	taker.stayDown(time.Second)
	taker.signal(syscall.SIGKILL)
	s.remember("%s is killed while it takes over", taker.name)
}

// awaitTaker returns the node that has taken over what the query finds.
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

// each prompts one turn of a script in every session, at a node, and returns
// those that were accepted.
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
	s.remember("%s accepts %d turns %s", at.name, len(all), script)
	return all
}

// stopAll stops turns at a node, all at the same time.
func (s *stage) stopAll(at *node, ids []bellcord.TurnID) {
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() { at.stop(id, api.Stop{Wait: "1ms", Queue: "next"}) })
	}
	all.Wait()
}

// stopBehindTheOwnersBack: the owner is cut off while its turns come to their end,
// and another node records stops for them.
func (s *stage) stopBehindTheOwnersBack(round int) {
	owner, other := s.nodes[round%3], s.nodes[(round+1)%3]
	ids := s.each(owner, "[slow 30 20ms]")
	<-time.After(200 * time.Millisecond) // for all to start
	owner.nats.set(hole)
	owner.pg.set(hole)
	s.stopAll(other, ids)
	<-time.After(time.Second)
	owner.pg.set(open)
	owner.nats.set(open)
	<-time.After(time.Second)
	s.inspect()
}

// stopWhereNobodyListens: without NATS the record is all there is.
func (s *stage) stopWhereNobodyListens(round int) {
	owner, other := s.nodes[round%3], s.nodes[(round+1)%3]
	owner.nats.set(shut)
	ids := s.each(owner, "[slow 50 20ms]")
	s.stopAll(other, ids)
	<-time.After(1500 * time.Millisecond)
	owner.nats.set(open)
	s.inspect()
}

// loseManyAnswers keeps every node from hearing that it has committed.
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

// inspect audits where every turn that was prompted is expected to have ended.
func (s *stage) inspect() {
	if s.awaitEnds(); s.innocent() {
		s.remember("inspected: %s", s.audit())
	}
}
