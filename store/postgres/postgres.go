package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Options configures a node. A zero value selects the default.
type Options struct {
	Lease  time.Duration // after a renewal, until other nodes may take over (default 12 s)
	Renew  time.Duration // interval between renewals (default 2 s, at most Lease/6)
	Schema string        // created if missing (default: the search_path of the URL, or public)
	Logger *slog.Logger

	Name, Version string // shown to people
}

func (o Options) withDefaults() Options {
	if o.Lease == 0 {
		o.Lease = 12 * time.Second
	}
	if o.Renew == 0 {
		o.Renew = min(2*time.Second, o.Lease/6)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Store is a store.Store in a schema of a PostgreSQL database.
type Store struct {
	opts  Options
	node  string
	lease lease
	clock storeClock

	signingKey []byte
	version    int // schema version of this program
	outdated   outdated

	readers *pgxpool.Pool
	writer  *pgxpool.Pool // one connection: its holder is the only writer
	rows    eventRows     // belongs to the holder of the writing connection
	heart   *pgxpool.Pool // one connection for the lease, so that a renewal waits for nothing

	marksMu sync.Mutex // protects marks
	marks   map[string]int64

	takenMu   sync.Mutex // protects takenFrom
	takenFrom map[bellcord.TurnID]deadNode
	quit      chan struct{}
	still     sync.WaitGroup // the goroutine that renews the lease
	closed    atomic.Bool
}

var _ store.Store = (*Store)(nil)

// Open connects to the database, migrates the schema and registers this process
// as a node until Close.
func Open(ctx context.Context, url string, opts Options) (*Store, error) {
	opts = opts.withDefaults()
	if opts.Lease < 2*opts.Renew {
		return nil, fmt.Errorf("a lease of %v is too short to be renewed every %v", opts.Lease, opts.Renew)
	}
	s := &Store{opts: opts, node: string(bellcord.NewSessionID()), quit: make(chan struct{}), takenFrom: map[bellcord.TurnID]deadNode{}, outdated: outdated{detected: make(chan struct{})}}
	if err := s.open(ctx, url); err != nil {
		s.disconnect()
		return nil, fmt.Errorf("opening the store in PostgreSQL: %w", err)
	}
	s.still.Go(s.beat)
	return s, nil
}

func (s *Store) open(ctx context.Context, url string) error {
	config, err := configure(url, s.opts)
	if err != nil {
		return err
	}
	if s.writer, err = connect(ctx, writing(config), 1); err != nil {
		return err
	}
	if s.version, err = newestSchema(); err != nil {
		return err
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if err := s.takeSigningKey(ctx); err != nil {
		return err
	}
	if s.heart, err = connect(ctx, config, 1); err != nil {
		return err
	}
	if s.readers, err = connect(ctx, config, 8); err != nil {
		return err
	}
	return s.register(ctx)
}

// leaveTimeout limits the time to unregister a node.
const leaveTimeout = 5 * time.Second

// Close closes the store and unregisters the node. If it still has unended turns,
// its row is kept with an expired lease, and another node takes them over.
// Further calls do nothing.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	close(s.quit)
	s.still.Wait()
	ctx, done := context.WithTimeout(context.Background(), leaveTimeout)
	defer done()
	err := pgx.BeginFunc(ctx, s.writer, func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, `UPDATE nodes SET lease_until = 0 WHERE id = $1`, s.node); err != nil {
			return err
		}
		_, err := t.Exec(ctx, `
			DELETE FROM nodes WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM turns WHERE node = $1 AND state <> 'ended')`, s.node)
		return err
	})
	s.disconnect()
	return err
}

func (s *Store) disconnect() {
	for _, pool := range []*pgxpool.Pool{s.readers, s.heart, s.writer} {
		if pool != nil {
			pool.Close()
		}
	}
}

// explain translates errors: a statement cancelled by ctx becomes the error of
// ctx, a closed pool ErrClosed, and a lost connection ErrStoreDown.
func (s *Store) explain(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case s.closed.Load():
		return errors.Join(bellcord.ErrClosed, err)
	case ctx.Err() != nil && isCode(err, cancelled):
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	case ctx.Err() == nil && isLost(err):
		return fmt.Errorf("%w: %w", bellcord.ErrStoreDown, err)
	}
	return err
}

// isLost reports whether an error is about the database and not about the values
// of a statement: it cannot be reached, has closed the connection, is read-only or
// busy, is damaged, or has other tables or rights than this program needs (class 42).
// A server also cancels statements by its own statement_timeout. An internal error
// (XX000) can be about a value: it must not block the other ops.
func isLost(err error) bool {
	var (
		connect *pgconn.ConnectError
		network net.Error
		server  *pgconn.PgError
	)
	if errors.As(err, &server) {
		return len(server.Code) == 5 && (slices.Contains([]string{"08", "25", "40", "42", "53", "55", "57", "58"}, server.Code[:2]) ||
			server.Code == "XX001" || server.Code == "XX002") // a damaged table or index
	}
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}
