package postgres

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord/store"
)

// clock is the database's time in nanoseconds. All leases use it; the clocks of
// the nodes do not matter.
const clock = `(extract(epoch FROM clock_timestamp()) * 1000000000)::bigint`

// lease is this node's view of the lease. It uses the local monotonic clock from
// before each request, so that the lease never ends earlier in the database than
// here.
type lease struct {
	mu        sync.Mutex
	requested time.Time // when the newest granted lease was requested
	shaken    time.Time // when the database was reachable again after an interruption
	fenced    bool      // the node's row is gone: another node has taken over
}

// granted records a lease that was granted for a request at the given time.
func (l *lease) granted(requested time.Time, longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.requested.IsZero() && requested.Sub(l.requested) > longest {
		l.shaken = time.Now()
	}
	l.requested = requested
}

// Leased reports whether this node's lease is valid, with a margin because clocks
// run at different rates. Without a lease a node should start nothing. Running
// work may continue; its next write fails if the node was taken over.
func (s *Store) Leased() bool {
	s.lease.mu.Lock()
	defer s.lease.mu.Unlock()
	return !s.lease.fenced && time.Since(s.lease.requested) < s.opts.Lease-s.opts.Lease/10
}

// steady reports whether this node may take over others. After it could not reach
// the database for a while, it waits for the duration of a lease, because other
// nodes may have had the same problem.
func (s *Store) steady() bool {
	s.lease.mu.Lock()
	defer s.lease.mu.Unlock()
	return s.lease.shaken.IsZero() || time.Since(s.lease.shaken) > s.opts.Lease
}

func (s *Store) register(ctx context.Context) error {
	requested := time.Now()
	var now int64
	err := s.writer.QueryRow(ctx, `
		INSERT INTO nodes (id, started, heard, lease_until, name, version) VALUES ($1, `+clock+`, `+clock+`, `+clock+` + $2, $3, $4) RETURNING `+clock,
		s.node, s.opts.Lease.Nanoseconds(), word(s.opts.Name), word(s.opts.Version)).Scan(&now)
	if err == nil {
		s.clock.set(now, requested, time.Now())
		s.lease.granted(requested, s.opts.Lease/2)
	}
	return err
}

// beat renews the lease until the store is closed or another node has taken over
// this one, which is permanent.
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

// renew renews the lease and checks the schema's version. An expired lease can be
// renewed as long as no other node has deleted this node's row.
func (s *Store) renew() (alive bool, err error) {
	ctx, done := context.WithTimeout(context.Background(), s.opts.Lease/4)
	defer done()
	requested := time.Now()
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
	s.clock.set(now, requested, time.Now())
	s.lease.granted(requested, s.opts.Lease/2)
	s.schemaIs(version)
	return true, nil
}

// tidyEvery is the number of renewals between two cleanups.
const tidyEvery = 30

// tidy deletes expired early stops, and the marks of removed nodes once all other
// nodes have had time to read them. It skips locked rows.
func (s *Store) tidy() {
	ctx, done := context.WithTimeout(context.Background(), s.opts.Lease/4)
	defer done()
	for _, old := range []string{
		`DELETE FROM intents WHERE (turn, owner) IN (SELECT turn, owner FROM intents WHERE at <= ` + clock + ` - $1 FOR UPDATE SKIP LOCKED)`,
		`DELETE FROM marks WHERE node IN (SELECT node FROM marks WHERE at <= ` + clock + ` - $1 AND node NOT IN (SELECT id FROM nodes) FOR UPDATE SKIP LOCKED)`,
	} {
		if _, err := s.heart.Exec(ctx, old, 2*store.EarlyStopLifetime.Nanoseconds()); err != nil {
			s.opts.Logger.Warn("store cleanup failed", "err", s.explain(ctx, err))
		}
	}
}
