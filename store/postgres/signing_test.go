package postgres_test

import (
	"bytes"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord/store/postgres"
)

func TestSigningKey_NodesStartTogether_ShareOneKey(t *testing.T) {
	t.Parallel()
	home, other := place(t), place(t)
	keys := make([][]byte, 4)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() { keys[i] = openWith(t, home, postgres.Options{}).SigningKey() })
	}
	all.Wait()
	keys = append(keys, openWith(t, home, postgres.Options{}).SigningKey())
	for _, key := range keys {
		if len(key) != 32 || !bytes.Equal(key, keys[0]) {
			t.Errorf("a key of %d bytes, the same as the first: %v", len(key), bytes.Equal(key, keys[0]))
		}
	}
	if bytes.Equal(openWith(t, other, postgres.Options{}).SigningKey(), keys[0]) {
		t.Error("another schema has the same key")
	}
}

// A function in the schema replaces the database's clock.
func TestNow_DatabaseClockDiffers_FollowsTheDatabase(t *testing.T) {
	t.Parallel()
	home := place(t)
	u, err := url.Parse(home)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", q.Get("search_path")+",pg_catalog")
	u.RawQuery = q.Encode()
	ahead := func(by string) {
		at(t, home, func(db *pgx.Conn) {
			mustExec(t, db, `CREATE OR REPLACE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '`+by+`' $$`)
		})
	}
	ahead("1 hour")
	s := openWith(t, u.String(), postgres.Options{Lease: time.Minute, Renew: 50 * time.Millisecond})
	near := func(by time.Duration) bool { return (time.Until(s.Now()) - by).Abs() < 30*time.Second }
	if !near(time.Hour) {
		t.Errorf("at first it is %v ahead", time.Until(s.Now()))
	}
	ahead("-2 hours")
	until(t, 20*time.Second, "it follows", func() bool { return near(-2 * time.Hour) })
}
