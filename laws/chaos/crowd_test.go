//go:build linux

package chaos_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// crowdSize is the number of clients and their behavior.
type crowdSize struct {
	drivers int // per node
	rooms   int // sessions in use at the same time
	turns   int // prompts sent to a session before it is replaced
	backlog int // maximum number of unended prompts of a session
	pause   time.Duration
	script  func(chance *rand.Rand, marker string, id bellcord.TurnID) string
	deed    func(d *driver) // performs a driver's next action
}

var usualCrowd = crowdSize{drivers: 3, rooms: 18, turns: 25, backlog: 4, pause: 120 * time.Millisecond, script: anyScript, deed: (*driver).anything}

// crowd is the set of clients: drivers, which prompt and stop, and viewers.
type crowd struct {
	s    *stage
	size crowdSize

	drivers, viewers       sync.WaitGroup
	driving, viewing       context.Context
	stopDriving, stopViews context.CancelFunc

	mu    sync.Mutex
	rooms []*sessionLog
}

// driver is a client that sends requests in a loop.
type driver struct {
	crowd  *crowd
	home   *node
	chance *rand.Rand
}

func (s *stage) admit(size crowdSize) *crowd {
	s.t.Helper()
	c := &crowd{s: s, size: size}
	c.driving, c.stopDriving = context.WithCancel(context.Background())
	c.viewing, c.stopViews = context.WithCancel(context.Background())
	s.t.Cleanup(func() { c.stopDriving(); c.stopViews(); c.drivers.Wait(); c.viewers.Wait() })
	for i := range size.rooms {
		r := c.newSession(s.nodes[i%len(s.nodes)])
		if r == nil {
			s.t.Fatal("a session cannot be made")
		}
		c.rooms = append(c.rooms, r)
	}
	for i := range size.drivers * len(s.nodes) {
		d := &driver{crowd: c, home: s.nodes[i%len(s.nodes)], chance: rand.New(rand.NewPCG(s.seed, uint64(i)))}
		c.drivers.Go(func() {
			for c.driving.Err() == nil {
				size.deed(d)
				select {
				case <-time.After(time.Duration(d.chance.Int64N(int64(size.pause)))):
				case <-c.driving.Done():
				}
			}
		})
	}
	return c
}

// newSession creates a session and starts a viewer for it. It returns nil if the
// node does not answer.
func (c *crowd) newSession(at *node) *sessionLog {
	var made bellcord.Session
	ctx, done := within(patience)
	defer done()
	status, _, err := at.roundTrip(ctx, http.MethodPost, "/v1/sessions", api.NewSession{Dir: c.s.dir}, &made)
	if err != nil || status != http.StatusCreated {
		return nil
	}
	r := c.s.book.open(made.ID)
	c.viewers.Go(func() { c.s.follow(c.viewing, r) })
	if rand.IntN(3) == 0 { // a second viewer, which must receive the same events
		c.viewers.Go(func() { c.s.follow(c.viewing, r) })
	}
	return r
}

// anySession returns a session in use. A session that has received enough prompts
// is replaced.
func (d *driver) anySession() *sessionLog {
	c := d.crowd
	c.mu.Lock()
	i := d.chance.IntN(len(c.rooms))
	r := c.rooms[i]
	c.mu.Unlock()
	if r.full(c.size.turns) {
		if fresh := c.newSession(d.home); fresh != nil {
			c.mu.Lock()
			c.rooms[i] = fresh
			c.mu.Unlock()
			r.retire()
			return fresh
		}
	}
	return r
}

func (r *sessionLog) full(most int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sent >= most
}

// anyNode returns a random node, for requests that any node can handle.
func (d *driver) anyNode() *node { return d.crowd.s.nodes[d.chance.IntN(len(d.crowd.s.nodes))] }

// anyScript returns a random script for the model. It contains the turn's id,
// which identifies the model's requests, and the marker, which identifies its
// processes.
func anyScript(chance *rand.Rand, marker string, id bellcord.TurnID) string {
	script := ""
	switch n := chance.IntN(20); {
	case n < 8:
		script = fmt.Sprintf("[slow %d 10ms]", 5+chance.IntN(30))
	case n < 12:
		script = fmt.Sprintf("[slow %d 25ms]", 10+chance.IntN(40))
	case n < 14:
		script = "[fast 20]"
	case n < 15:
		script = "[think 5 5ms] [slow 5 5ms]"
	case n < 17:
		script = "[slow 3 5ms] " + shell("0.2", marker, id) + " [then [slow 10 5ms]]"
	case n < 18:
		return longProcess(marker, id)
	case n < 19:
		script = "[hang after 3]"
	default:
		script = "[slow 4 400ms]"
	}
	return script + " " + string(id)
}

// shell returns a tool call that starts two processes of the given duration.
func shell(seconds, marker string, id bellcord.TurnID) string {
	return fmt.Sprintf(`[tool shell {"command":"sleep %s %s & sleep %s %s; : %s"}]`, seconds, marker, seconds, marker, id)
}

// longProcess returns a turn that starts processes which outlive every run
// unless they are killed.
func longProcess(marker string, id bellcord.TurnID) string {
	return "[slow 3 5ms] " + shell("300", marker, id) + " " + string(id)
}

// untilStopped returns how long a turn runs that does not end by itself.
func untilStopped(chance *rand.Rand) time.Duration {
	return 200*time.Millisecond + time.Duration(chance.Int64N(int64(1500*time.Millisecond)))
}
