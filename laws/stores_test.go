package laws_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
	"github.com/bellcord/bellcord/store/sqlite"
)

var onStores = flag.String("stores", "", "the stores that the table of cut points is held on: sqlite,postgres; with -short, sqlite")

// stored is a process's connection to the store.
type stored interface {
	store.Store
	serverstore.TokenStore
	Close() error
}

// home opens a stage's store. Each call acts as another process.
type home func(ctx context.Context) (stored, error)

// filed returns a home in a directory.
func filed(dir string) home {
	return func(ctx context.Context) (stored, error) { return sqlite.Open(ctx, dir) }
}

// ground is a store on which the table of cut points is run.
type ground struct {
	name   string
	shared bool // shared by nodes; a stage on it has several
}

func (g ground) home(t *testing.T, dir string) home {
	t.Helper()
	if g.shared {
		return inSchema(schema(t))
	}
	return filed(dir)
}

// grounds returns the stores selected by the flags.
func grounds(t *testing.T) []ground {
	t.Helper()
	names := cmp.Or(*onStores, "sqlite,postgres")
	if *onStores == "" && testing.Short() {
		names = "sqlite"
	}
	var all []ground
	for name := range strings.SplitSeq(names, ",") {
		if name != "sqlite" && name != "postgres" {
			t.Fatalf("-stores=%s: there are sqlite and postgres", *onStores)
		}
		all = append(all, ground{name, name == "postgres"})
	}
	return all
}

// inSchema returns a home in PostgreSQL. A scene takes hours of fake time but
// none of the database's time, so leases are not tested here.
func inSchema(name string) home {
	return func(ctx context.Context) (stored, error) {
		return postgres.Open(ctx, database(), postgres.Options{
			Schema: name, Lease: time.Hour, Renew: time.Hour / 4, Logger: slog.New(slog.DiscardHandler),
		})
	}
}

// database returns the URL of a database in which schemas can be created.
func database() string {
	return cmp.Or(os.Getenv("BELLCORD_POSTGRES"), "postgres://postgres@127.0.0.1:5432/test")
}

// schemas are created once and reused by later scenes: creating one takes
// longer than a scene, and a stop of everything must not find turns of another
// scene.
var schemas struct {
	mu        sync.Mutex
	all, free []string
}

// schema reserves a schema until the test has ended. A schema of a failed test
// is not reused, because its content could make other tests fail.
func schema(t *testing.T) string {
	t.Helper()
	if err := reached(); err != nil && os.Getenv("CI") != "true" {
		t.Skipf("PostgreSQL is missing (set BELLCORD_POSTGRES to the URL of a database in which schemas may be made): %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	schemas.mu.Lock()
	defer schemas.mu.Unlock()
	if len(schemas.free) == 0 {
		name := "bc_laws_" + strings.ToLower(rand.Text())
		schemas.all, schemas.free = append(schemas.all, name), append(schemas.free, name)
	}
	last := len(schemas.free) - 1
	name := schemas.free[last]
	schemas.free = slices.Delete(schemas.free, last, last+1)
	t.Cleanup(func() {
		schemas.mu.Lock()
		defer schemas.mu.Unlock()
		if !t.Failed() {
			schemas.free = append(schemas.free, name)
		}
	})
	return name
}

var scenes atomic.Int64

// nextMoment returns the start time of a scene in a reused schema. It is
// unique, because a store identifies stops by their time.
func nextMoment() time.Duration { return time.Duration(scenes.Add(1)) }

// reached returns an error if PostgreSQL cannot be reached. It connects once.
var reached = sync.OnceValue(func() error {
	return atDatabase(func(context.Context, *pgx.Conn) error { return nil })
})

func atDatabase(do func(context.Context, *pgx.Conn) error) error {
	ctx, done := context.WithTimeout(context.Background(), 30*time.Second)
	defer done()
	db, err := pgx.Connect(ctx, database())
	if err != nil {
		return err
	}
	defer db.Close(ctx)
	return do(ctx, db)
}

// TestMain removes the schemas that the scenes created.
func TestMain(m *testing.M) {
	code := m.Run()
	if len(schemas.all) > 0 {
		err := atDatabase(func(ctx context.Context, db *pgx.Conn) error {
			for _, name := range schemas.all {
				if _, err := db.Exec(ctx, `DROP SCHEMA IF EXISTS `+name+` CASCADE`); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, "removing schemas:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}
