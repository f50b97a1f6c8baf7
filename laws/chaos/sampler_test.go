//go:build linux

package chaos_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
)

// overdue is how long a dead node's turn may stay unended after the lease has
// expired.
const overdue = 2 * time.Second

// sampler checks the database during the run for problems that the final state
// does not show: turns that no node would ever end, and turns that outlive
// their node for too long.
type sampler struct {
	s    *stage
	quit chan struct{}
	done sync.WaitGroup

	dead    map[left]time.Time // when a turn of a dead node was first seen
	samples int
	longest time.Duration // maximum time for which a dead node's turn was seen unended
}

// left is an unended turn at a node without a lease, or at the node that took
// it over.
type left struct {
	turn   bellcord.TurnID
	node   string
	lapsed bool
}

func (s *stage) startSampler() *sampler {
	w := &sampler{s: s, quit: make(chan struct{}), dead: map[left]time.Time{}}
	w.done.Go(w.run)
	s.t.Cleanup(w.stop)
	return w
}

func (w *sampler) stop() {
	select {
	case <-w.quit:
	default:
		close(w.quit)
	}
	w.done.Wait()
}

func (w *sampler) run() {
	var conn *pgx.Conn
	for {
		select {
		case <-w.quit:
			if conn != nil {
				_ = conn.Close(context.Background())
			}
			return
		case <-time.After(200 * time.Millisecond):
		}
		conn = w.takeSample(conn)
	}
}

// takeSample takes one sample. If the database is down, it is retried later.
func (w *sampler) takeSample(conn *pgx.Conn) *pgx.Conn {
	ctx, done := within(time.Second)
	defer done()
	if conn == nil {
		var err error
		if conn, err = w.s.connect(ctx); err != nil {
			return nil
		}
	}
	if err := w.sample(ctx, conn); err != nil {
		_ = conn.Close(ctx)
		return nil
	}
	return conn
}

func (w *sampler) sample(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `
		SELECT turns.id, turns.node, turns.session, turns.state, turns.taken, nodes.id IS NULL,
		       coalesce(lease_until < (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint, true),
		       coalesce((SELECT name FROM witness.lives WHERE lives.node = turns.node), '?')
		FROM turns LEFT JOIN nodes ON nodes.id = turns.node WHERE turns.state <> 'ended'`)
	if err != nil {
		return err
	}
	seen := map[left]bool{}
	var turn, node, session, state, name string
	var taken, nodeMissing, lapsed bool
	_, err = pgx.ForEachRow(rows, []any{&turn, &node, &session, &state, &taken, &nodeMissing, &lapsed, &name}, func() error {
		if nodeMissing {
			w.s.accuse("a turn is nobody's", "turn %s of %s is %s at node %s, which is gone: nobody will end it", turn, session, state, name)
		}
		if lapsed || taken {
			of := left{bellcord.TurnID(turn), node, lapsed}
			seen[of] = true
			w.judge(of, name, state)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for of := range w.dead {
		if !seen[of] {
			delete(w.dead, of)
		}
	}
	w.samples++
	return nil
}

// judge handles an unended turn that was left behind. The turn is late if a
// node could have ended it: the node that took it over or, if its node is dead,
// any node that could reach the database for as long as it must before it may
// declare others dead.
func (w *sampler) judge(of left, name, state string) {
	since, known := w.dead[of]
	if !known {
		w.dead[of] = time.Now()
		return
	}
	calm := time.Duration(0)
	for _, n := range w.s.nodes {
		if of.lapsed {
			calm = max(calm, n.calmFor()-lease)
		} else if _, life := n.address(); name == fmt.Sprintf("%s-%d", n.name, life) {
			calm = n.calmFor()
		}
	}
	late := min(time.Since(since), calm)
	w.longest = max(w.longest, late)
	if late > overdue {
		w.s.accuse("a turn runs past its lease", "turn %s is %s at %s, %v after that could have been ended (lease over: %v)", of.turn, state, name, late.Round(time.Millisecond), of.lapsed)
		w.dead[of] = time.Now().Add(time.Hour) // reported once
	}
}
