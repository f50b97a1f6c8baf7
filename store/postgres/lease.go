package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
)

// clock is the database's time. All leases go by it, whatever the clocks of the
// nodes say.
const clock = `(extract(epoch FROM clock_timestamp()) * 1000000000)::bigint`

// lease is what a node knows about its own lease, by its own steady clock from
// before it asked: the database never holds it for dead sooner.
type lease struct {
	mu     sync.Mutex
	asked  time.Time // for the newest one that was granted
	shaken time.Time // when the database was last back after it could not be reached for a while
	fenced bool      // the node's row is gone: it was taken for dead
}

// granted notes that the lease which was asked for then was granted.
func (l *lease) granted(asked time.Time, longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.asked.IsZero() && asked.Sub(l.asked) > longest {
		l.shaken = time.Now()
	}
	l.asked = asked
}

// Leased reports whether this node's lease still holds, with a margin: no two
// clocks go at the same rate. Without it a node should start nothing; what runs
// may go on, and its next write tells the truth.
func (s *Store) Leased() bool {
	s.lease.mu.Lock()
	defer s.lease.mu.Unlock()
	return !s.lease.fenced && time.Since(s.lease.asked) < s.opts.Lease-s.opts.Lease/10
}

// steady reports whether this node may judge others. One that could not reach
// the database itself for a while gives the others, who may have been as
// unlucky, the time of a lease to come back.
func (s *Store) steady() bool {
	s.lease.mu.Lock()
	defer s.lease.mu.Unlock()
	return s.lease.shaken.IsZero() || time.Since(s.lease.shaken) > s.opts.Lease
}

func (s *Store) register(ctx context.Context) error {
	asked := time.Now()
	var now int64
	err := s.writer.QueryRow(ctx, `
		INSERT INTO nodes (id, started, heard, lease_until, name, version) VALUES ($1, `+clock+`, `+clock+`, `+clock+` + $2, $3, $4) RETURNING `+clock,
		s.node, s.opts.Lease.Nanoseconds(), word(s.opts.Name), word(s.opts.Version)).Scan(&now)
	if err == nil {
		s.clock.told(now, asked, time.Now())
		s.lease.granted(asked, s.opts.Lease/2)
	}
	return err
}

// beat renews the lease until the store is closed or the node was taken for
// dead, which is for good.
func (s *Store) beat() {
	tick := time.NewTicker(s.opts.Renew)
	defer tick.Stop()
	failing := false
	for n := 1; ; n++ {
		select {
		case <-s.quit:
			return
		case <-tick.C:
		}
		alive, err := s.renew()
		switch {
		case err == nil && !alive:
			s.opts.Logger.Error("lease expired and another node took over; restart this node", "node", s.node)
			return
		case err != nil && !failing:
			s.opts.Logger.Warn("lease renewal failed, retrying", "node", s.node, "err", err)
		case err == nil && n%tidyEvery == 0:
			s.tidy()
		}
		failing = err != nil
	}
}

const leaseMore = `UPDATE nodes SET heard = ` + clock + `, lease_until = ` + clock + ` + $2 WHERE id = $1`

// renew asks for a new lease, and looks at the schema's version with it. A lease that ran out can be renewed for as long as
// nobody has taken the node's row away.
func (s *Store) renew() (alive bool, err error) {
	ctx, done := context.WithTimeout(context.Background(), s.opts.Lease/4)
	defer done()
	asked := time.Now()
	var now int64
	var version int
	err = s.heart.QueryRow(ctx, leaseMore+` RETURNING `+clock+`, (SELECT version FROM schema_version)`, s.node, s.opts.Lease.Nanoseconds()).Scan(&now, &version)
	if errors.Is(err, pgx.ErrNoRows) {
		s.lease.mu.Lock()
		s.lease.fenced = true
		s.lease.mu.Unlock()
		return false, nil
	}
	if err != nil {
		return false, s.explain(ctx, err)
	}
	s.clock.told(now, asked, time.Now())
	s.lease.granted(asked, s.opts.Lease/2)
	s.schemaIs(version)
	return true, nil
}

// tidyEvery is how many renewals there are between two tidyings.
const tidyEvery = 30

// tidy removes what is of no use any more: early stops that are too old, and the
// marks of nodes that are gone, once everybody has seen them. What is locked is
// left to the next time.
func (s *Store) tidy() {
	ctx, done := context.WithTimeout(context.Background(), s.opts.Lease/4)
	defer done()
	for _, old := range []string{
		`DELETE FROM intents WHERE (turn, owner) IN (SELECT turn, owner FROM intents WHERE at <= ` + clock + ` - $1 FOR UPDATE SKIP LOCKED)`,
		`DELETE FROM marks WHERE node IN (SELECT node FROM marks WHERE at <= ` + clock + ` - $1 AND node NOT IN (SELECT id FROM nodes) FOR UPDATE SKIP LOCKED)`,
	} {
		if _, err := s.heart.Exec(ctx, old, 2*bellcord.EarlyStopLifetime.Nanoseconds()); err != nil {
			s.opts.Logger.Warn("store cleanup failed", "err", s.explain(ctx, err))
		}
	}
}
