package postgres_test

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// quiet is the logger of nodes with expected failures.
var quiet = slog.New(slog.DiscardHandler)

func TestLease_ConnectionLostAndRestored_ExpiresAndIsRenewed(t *testing.T) {
	t.Parallel()
	const lease = time.Second
	home := place(t)
	proxied, network := through(t, home)
	s := openWith(t, proxied, postgres.Options{Lease: lease, Renew: lease / 10, Logger: quiet})
	opened := time.Now()
	waits := accept(session(t, s))
	ok(t, s, waits)
	until(t, 10*time.Second, "a lease that nothing disturbs is renewed", func() bool {
		return time.Since(opened) > lease && leaseLeft(t, home, s) > lease/2 && s.Leased()
	})
	network.freeze()
	until(t, 10*time.Second, "the lease has run out", func() bool {
		left := leaseLeft(t, home, s)
		if left < 0 && s.Leased() {
			t.Errorf("the node believes in a lease that ran out %v ago", -left)
		}
		return left < 0
	})
	network.thaw()
	until(t, 10*time.Second, "the lease is renewed", s.Leased)
	until(t, 10*time.Second, "the turn is claimed", func() bool {
		results, err := s.Commit(t.Context(), []store.Op{claim(waits)})
		return err == nil && results[0].Err == nil
	})
}

// leaseLeft returns the remaining time of a node's lease by the database's clock.
func leaseLeft(t *testing.T, place string, s *postgres.Store) (left time.Duration) {
	t.Helper()
	at(t, place, func(db *pgx.Conn) {
		err := db.QueryRow(t.Context(), `SELECT lease_until - (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint FROM nodes WHERE id = $1`, s.NodeID()).Scan(&left)
		if err != nil {
			t.Error(err)
		}
	})
	return left
}

func TestClaim_ExpiredLeaseWithoutTakeover_RenewsLease(t *testing.T) {
	t.Parallel()
	home := place(t)
	s := openWith(t, home, postgres.Options{Lease: time.Hour})
	a := accept(session(t, s))
	ok(t, s, a)
	forsake(t, home)
	ok(t, s, claim(a))
	if left := leaseLeft(t, home, s); left < time.Minute {
		t.Errorf("the turn runs under a lease of %v", left)
	}
	other := openWith(t, home, postgres.Options{})
	if taken, err := other.TakeOver(t.Context()); err != nil || len(taken) > 0 {
		t.Errorf("taken from the living: %v, %v", taken, err)
	}
}

func TestTakeOver_NodeWithoutRow_ReturnsErrFenced(t *testing.T) {
	t.Parallel()
	home := place(t)
	s := openWith(t, home, postgres.Options{Lease: time.Second, Renew: 50 * time.Millisecond, Logger: quiet})
	dead := openWith(t, home, postgres.Options{Lease: time.Hour})
	ok(t, dead, accept(session(t, dead)))
	at(t, home, func(db *pgx.Conn) { mustExec(t, db, `DELETE FROM nodes WHERE id = $1`, s.NodeID()) })
	until(t, 10*time.Second, "the node knows", func() bool { return !s.Leased() })
	forsake(t, home)
	if taken, err := s.TakeOver(t.Context()); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a removed node takes over %v, %v", taken, err)
	}
	if r := do(t, s, accept(session(t, s)))[0]; !errors.Is(r.Err, store.ErrFenced) {
		t.Errorf("a removed node accepts: %v", r.Err)
	}
}

func TestTakeOver_AfterOwnOutage_WaitsForOneLease(t *testing.T) {
	t.Parallel()
	const lease = 2 * time.Second
	home := place(t)
	proxied, network := through(t, home)
	s := openWith(t, proxied, postgres.Options{Lease: lease, Renew: lease / 20, Logger: quiet})
	unlucky := openWith(t, home, postgres.Options{Lease: time.Hour}) // its lease could not be renewed either
	ok(t, unlucky, accept(session(t, unlucky)))
	network.freeze()
	until(t, 10*time.Second, "the lease has run out", func() bool { return !s.Leased() })
	at(t, home, func(db *pgx.Conn) {
		mustExec(t, db, `UPDATE nodes SET lease_until = 1 WHERE id = $1`, unlucky.NodeID())
	})
	network.thaw()
	until(t, 10*time.Second, "the lease is renewed", s.Leased)
	if taken, err := s.TakeOver(t.Context()); err != nil || len(taken) > 0 {
		t.Errorf("taken at once: %v, %v", taken, err)
	}
	until(t, 2*lease, "the turn is taken over after all", func() bool {
		taken, err := s.TakeOver(t.Context())
		return err == nil && len(taken) == 1
	})
}

// A turn that a node accepts while it is being taken over is rejected or taken
// over; it never waits forever (law 33).
func TestLaw33_AcceptDuringTakeover_IsRejectedOrTakenOver(t *testing.T) {
	t.Parallel()
	home := place(t)
	taker := openWith(t, home, postgres.Options{})
	id := session(t, taker)
	refusals := 0
	for range 60 {
		stale := openWith(t, home, postgres.Options{Lease: time.Hour, Logger: quiet})
		a := accept(id)
		at(t, home, func(db *pgx.Conn) { mustExec(t, db, `UPDATE nodes SET lease_until = 1 WHERE id = $1`, stale.NodeID()) })
		var all sync.WaitGroup
		var accepted store.Result
		all.Go(func() { accepted = do(t, stale, a)[0] })
		all.Go(func() { _, _ = taker.TakeOver(t.Context()) })
		all.Wait()
		if errors.Is(accepted.Err, store.ErrFenced) {
			refusals++
			continue
		}
		taken, err := taker.TakeOver(t.Context()) // the first attempt may have skipped the locked row
		if err != nil || len(taken) != 1 || taken[0].ID != a.Turn {
			t.Fatalf("the turn waits for ever: taken %v, %v", taken, err)
		}
		ok(t, taker, finish(a, taken[0].Fence, bellcord.EndLost))
	}
	t.Logf("%d of 60 were refused", refusals)
}

func TestOpen_LeaseShorterThanTwoRenewals_Fails(t *testing.T) {
	t.Parallel()
	if s, err := postgres.Open(t.Context(), place(t), postgres.Options{Lease: time.Second, Renew: time.Second}); err == nil {
		_ = s.Close()
		t.Error("it was opened")
	}
}
