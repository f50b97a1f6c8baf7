package cluster_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/bellcord/bellcord"
)

func TestLaw05_DatabaseHangs_StopEndsTheWorkAtAnotherNode(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	database := newStuck()
	around := func(with *setup) { with.store = database.around }
	other := newStuck()
	a, b := s.join(around), s.join(func(with *setup) { with.store = other.around })
	turn := b.runs(b.session(), "hang")
	database.hang()
	other.hang()
	began := time.Now()
	stopping := a.Stop(bellcord.StopTurn(turn, by))
	until(t, "the work has ended", func() bool { return b.causeOf(turn) != nil })
	t.Logf("the work ended after %v", time.Since(began))
	until(t, "the asker is told so", func() bool {
		soon, done := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer done()
		answers, err := stopping.Wait(soon)
		if len(answers) != 1 || !errors.Is(err, context.DeadlineExceeded) || answers[0].State == bellcord.StopStateSettled {
			t.Fatalf("with no store it is answered %+v, %v", answers, err)
		}
		if answers[0].State == bellcord.StopStateWorkEnded {
			return true
		}
		stopping = a.Stop(bellcord.StopTurn(turn, by)) // as a caller that retries does
		return false
	})
	database.goOn()
	other.goOn()
	answers, err := stopping.Wait(inTime(t))
	if err != nil || len(answers) != 1 || answers[0].State.UnderWay() || !same(t, answers[0].Receipt, b.record(turn).Receipt) {
		t.Errorf("with the store back it is answered %+v, %v", answers, err)
	}
}

// atMost is the limit for operations that must return immediately, on a busy
// machine and including the database. Whatever waits for a connection that hangs
// waits for long.
const (
	atMost = 15 * time.Second
	long   = time.Minute
)

// atOnce runs an operation that must not wait for a network that hangs.
func atOnce(t *testing.T, what string, do func()) {
	t.Helper()
	began := time.Now()
	do()
	if took := time.Since(began); took > atMost {
		t.Errorf("%s took %v", what, took)
	}
}

// With a connection that hangs and events waiting to be sent, the sender is
// blocked. Nothing else may be, not even callers that request the connection's
// state.
func TestLaw05_NATSConnectionHangs_BlocksNoCaller(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]nats.Option{
		"before the hang is detected": {nats.PingInterval(long), nats.FlusherTimeout(long)},
		"while it connects again":     {nats.Timeout(long)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			address, network := through(t, s.nats.Addr().String())
			a, b := s.join(func(with *setup) {
				with.URLs, with.Options = "nats://"+address, slices.Concat(options, []nats.Option{nats.SetCustomDialer(narrowly{})})
			}), s.join()
			session, elsewhere, other := a.session(), b.session(), a.session()
			a.runs(session, "flood 50")
			foreign := b.runs(elsewhere, "hang")
			cursor, err := b.Events(inTime(t), session, 0) // so that a has events to send
			if err != nil {
				t.Fatal(err)
			}
			defer cursor.Close()
			until(t, "a knows", func() bool { return a.bus.Elsewhere(session) })
			if _, err := a.OpenSession(inTime(t), other); err != nil {
				t.Fatal(err)
			}
			network.freeze()
			a.release()
			if name == "while it connects again" {
				until(t, "the hang is detected", func() bool { return len(a.log.lines("NATS connection lost")) > 0 })
			}
			var asking sync.WaitGroup
			over := make(chan struct{})
			asking.Go(func() {
				for {
					select {
					case <-over:
						return
					case <-time.After(time.Millisecond):
						a.bus.Elsewhere(other) // has no viewer: the result depends on the connection, and may be late
					}
				}
			})
			defer asking.Wait()
			defer close(over)
			defer network.cut() // what hangs ends now
			for range 20 {
				atOnce(t, "a stop of another node's turn", func() { a.Stop(bellcord.StopTurn(foreign, by)) })
				atOnce(t, "a stop of a session everywhere", func() { a.Stop(everywhere(bellcord.StopSession(elsewhere, by))) })
				atOnce(t, "beginning to watch", func() { a.watches(elsewhere) })
				a.done(other)
			}
			if lost := len(a.log.lines("NATS connection lost")) > 0; lost != (name == "while it connects again") {
				t.Errorf("the hang was detected: %v", lost)
			}
			if longest := time.Duration(a.longest.Load()); longest > atMost {
				t.Errorf("a commit waited %v for the bus", longest)
			} else {
				t.Logf("no commit waited longer than %v for the bus", longest)
			}
		})
	}
}

// watches opens a cursor and closes it.
func (n *node) watches(session bellcord.SessionID) {
	n.t.Helper()
	c, err := n.Events(inTime(n.t), session, 0)
	if err != nil {
		n.t.Fatal(err)
	}
	c.Close()
}

// done runs a turn on this node to its end.
func (n *node) done(session bellcord.SessionID) {
	n.t.Helper()
	turn, err := n.Prompt(session, bellcord.Prompt{Text: "say hello"})
	if err != nil {
		n.t.Fatal(err)
	}
	<-turn.Settled()
	if r := turn.Receipt(); r.End != bellcord.EndDone || r.EndNotDurable {
		n.t.Errorf("%+v", r)
	}
}
