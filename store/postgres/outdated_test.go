package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord/store/postgres"
)

func TestOutdated_SchemaBecomesNewer_IsDetectedAtLeaseRenewal(t *testing.T) {
	t.Parallel()
	home := place(t)
	s := openWith(t, home, postgres.Options{Lease: time.Minute, Renew: 20 * time.Millisecond, Logger: quiet})
	started := s.Now()
	until(t, 20*time.Second, "the lease is renewed", func() bool { return s.Now().Sub(started) > 100*time.Millisecond && s.Leased() })
	select {
	case <-s.WhenOutdated():
		t.Fatal("it is outdated from the start")
	default:
	}
	if err := s.Outdated(); err != nil {
		t.Fatal(err)
	}
	at(t, home, func(db *pgx.Conn) { mustExec(t, db, `UPDATE schema_version SET version = version + 900`) })
	select {
	case <-s.WhenOutdated():
	case <-time.After(20 * time.Second):
		t.Fatal("it goes on")
	}
	if err := s.Outdated(); err == nil || !strings.Contains(err.Error(), "schema version 90") {
		t.Errorf("it says %v", err)
	}
	session(t, s) // running work can still end, because the lease is valid
	if !s.Leased() {
		t.Error("it has lost its lease")
	}
}
