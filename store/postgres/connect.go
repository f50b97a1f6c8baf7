package postgres

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// connectTimeout limits the time to connect to a server.
	connectTimeout = 5 * time.Second
	// cancelTimeout is how long a server may take to cancel a statement before
	// the connection is closed.
	cancelTimeout = time.Second
	// mostIdle limits how long the server waits for the next statement of a
	// transaction. A live node takes microseconds.
	mostIdle = 2 * time.Second
)

// SQLSTATE codes that the store handles.
const (
	cancelled = "57014"
	deadlock  = "40P01"
	notSerial = "40001"
)

func isCode(err error, code string) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == code
}

// configure parses the URL and adds the settings that the store requires.
func configure(url string, opts Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	c := config.ConnConfig
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	if opts.Schema != "" {
		c.RuntimeParams["search_path"] = pgx.Identifier{opts.Schema}.Sanitize()
	}
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "bellcord"
	}
	// A node that is paused within a transaction must not block the other nodes
	// with its locks, in particular not for longer than its lease.
	c.RuntimeParams["idle_in_transaction_session_timeout"] = strconv.FormatInt(min(opts.Lease/2, mostIdle).Milliseconds(), 10)
	// A reader with an ended context cancels its statement; the connection stays
	// usable.
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelTimeout}
	}
	config.AfterConnect = beDurable
	return config, nil
}

// beDurable sets synchronous_commit, so that text that a person has seen survives
// a power loss, whatever the default of the database is.
func beDurable(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')`)
	return err
}

// writing returns the configuration of the connection that commits. Its
// statements find rows by key, so planning them again for every batch costs more
// than it gains. Sequential scans and some joins are disabled, because a cached
// plan made while the tables were small must not read whole tables later.
func writing(config *pgxpool.Config) *pgxpool.Config {
	config = config.Copy()
	set := config.ConnConfig.RuntimeParams
	set["plan_cache_mode"] = "force_generic_plan"
	for _, way := range []string{"enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"} {
		set[way] = "off"
	}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		registerArrays(conn.TypeMap())
		return beDurable(ctx, conn)
	}
	return config
}

func connect(ctx context.Context, config *pgxpool.Config, most int32) (*pgxpool.Pool, error) {
	config = config.Copy()
	config.MaxConns, config.MinConns = most, 0
	return pgxpool.NewWithConfig(ctx, config)
}
