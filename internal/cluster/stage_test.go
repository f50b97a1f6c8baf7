package cluster_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/cluster"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

const (
	// patient is how long a test waits for an expected condition.
	patient = 20 * time.Second
	// never is a sweep interval longer than any test: everything that arrives
	// came over the bus.
	never = time.Hour
)

// database returns the URL of the database in which tests may create schemas.
func database() string {
	if named := os.Getenv("BELLCORD_POSTGRES"); named != "" {
		return named
	}
	return "postgres://postgres@127.0.0.1:5432/test"
}

// place creates a schema that is removed after the test, and returns its URL.
func place(t *testing.T) string {
	t.Helper()
	db, err := pgx.Connect(t.Context(), database())
	if err != nil && os.Getenv("CI") != "true" {
		t.Skipf("PostgreSQL is missing (set BELLCORD_POSTGRES to the URL of a database in which schemas may be made): %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	schema := "bc_" + strings.ToLower(rand.Text())
	if _, err := db.Exec(t.Context(), `CREATE SCHEMA `+schema); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { query(t, database(), `DROP SCHEMA `+schema+` CASCADE`) })
	u, err := url.Parse(database())
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", schema)
	u.RawQuery = q.Encode()
	return u.String()
}

// query executes a statement on a database without a node.
func query(t *testing.T, place, text string, args ...any) {
	t.Helper()
	db, err := pgx.Connect(context.Background(), place)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(context.Background())
	if _, err := db.Exec(context.Background(), text, args...); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

// stage is a database, a NATS server and the nodes that use them.
type stage struct {
	t     *testing.T
	place string // empty: the nodes bring their own stores
	nats  *server.Server
	url   string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, place: place(t), nats: serve(t, server.Options{})}
	s.url = s.nats.ClientURL()
	return s
}

// serve starts a NATS server on a free port.
func serve(t *testing.T, opts server.Options) *server.Server {
	t.Helper()
	return serveAt(t, "127.0.0.1", opts)
}

func serveAt(t *testing.T, host string, opts server.Options) *server.Server {
	t.Helper()
	opts.Host, opts.NoLog, opts.NoSigs = host, true, true
	if opts.Port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	s, err := server.NewServer(&opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patient) {
		t.Fatal("the NATS server does not start")
	}
	return s
}

// setup contains the settings of a node that tests change.
type setup struct {
	cluster.Config
	hub   hub.Options
	lease time.Duration
	store func(store.Store) store.Store
	quiet bool // errors at the end are part of the test
}

// node is a cluster node with its agent, bus, store and log.
type node struct {
	*cluster.Node
	*actor
	t     *testing.T
	id    string
	bus   *cluster.Bus
	base  base
	log   *journal
	leave func()

	longest atomic.Int64 // longest time that a commit waited for the bus, in nanoseconds
}

// base is a store that implements cluster.Directory.
type base interface {
	store.Store
	cluster.Directory
	Close() error
}

// join starts a node.
func (s *stage) join(changes ...func(*setup)) *node {
	s.t.Helper()
	with := setup{Config: cluster.Config{URLs: s.url}, hub: hub.Options{Sweep: never}}
	for _, change := range changes {
		change(&with)
	}
	if with.lease == 0 {
		with.lease = time.Hour
	}
	store, err := postgres.Open(s.t.Context(), s.place, postgres.Options{Lease: with.lease, Renew: with.lease / 8, Logger: quietly})
	if err != nil {
		s.t.Fatal(err)
	}
	if with.SigningKey == nil {
		with.SigningKey = store.SigningKey()
	}
	if with.Now == nil {
		with.Now = store.Now
	}
	return start(s.t, store, with)
}

// signer returns a signer for a node id with the nodes' key.
func (s *stage) signer(node string) cluster.Signer {
	s.t.Helper()
	store, err := postgres.Open(s.t.Context(), s.place, postgres.Options{Logger: quietly})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = store.Close() })
	return newSigner(s.t, store.SigningKey(), node, store.Now)
}

func newSigner(t testing.TB, key []byte, node string, now func() time.Time) cluster.Signer {
	t.Helper()
	signs, err := cluster.NewSigner(key, node, now)
	if err != nil {
		t.Fatal(err)
	}
	return signs
}

// start starts a node on a store.
func start(t *testing.T, kept base, with setup) *node {
	t.Helper()
	n := &node{t: t, id: kept.NodeID(), base: kept, actor: newActor(), log: &journal{}}
	if with.Directory == nil {
		with.Directory = kept
	}
	with.Logger = n.log.logger()
	var err error
	if n.bus, err = cluster.Dial(with.Config); err != nil {
		t.Fatal(err)
	}
	with.hub.Peers, with.hub.Watch = n.bus, func(c store.Commit) {
		began := time.Now()
		n.bus.Committed(c)
		n.longest.Store(max(n.longest.Load(), int64(time.Since(began)))) // only one goroutine commits
	}
	var used store.Store = kept
	if with.store != nil {
		used = with.store(kept)
	}
	hub, err := hub.Open(context.Background(), used, n.actor, with.hub)
	if err != nil {
		t.Fatal(err)
	}
	if n.Node, err = n.bus.Join(hub); err != nil {
		t.Fatal(err)
	}
	left := false
	n.leave = func() {
		if left {
			return
		}
		left = true
		n.release()
		ctx, done := context.WithTimeout(context.Background(), patient)
		defer done()
		err := hub.Close(ctx)
		n.bus.Close()
		if err := errors.Join(err, kept.Close()); err != nil && !with.quiet {
			t.Error(err)
		}
	}
	t.Cleanup(n.leave)
	return n
}
