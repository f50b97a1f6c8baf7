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
	// connectTimeout is how long a server may take to let us in.
	connectTimeout = 5 * time.Second
	// cancelTimeout is how long a server may take to give up a statement; then
	// the connection is closed.
	cancelTimeout = time.Second
	// mostIdle is how long a transaction may wait for its node's next word. One
	// that lives takes microseconds.
	mostIdle = 2 * time.Second
)

// The states of SQL that are no mere failures.
const (
	cancelled = "57014"
	deadlock  = "40P01"
	notSerial = "40001"
)

func isCode(err error, code string) bool {
	var told *pgconn.PgError
	return errors.As(err, &told) && told.Code == code
}

// configure reads the URL and adds what the store relies on.
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
	// A node that is paused within a transaction must not keep the others
	// waiting for its locks, least of all for longer than it counts as alive.
	c.RuntimeParams["idle_in_transaction_session_timeout"] = strconv.FormatInt(min(opts.Lease/2, mostIdle).Milliseconds(), 10)
	// A reader that gives up cancels its statement; its connection stays good.
	c.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: cancelTimeout}
	}
	config.AfterConnect = beDurable
	return config, nil
}

// beDurable sees to it that what a person has been shown survives the loss of
// power, whatever is usual in this database.
func beDurable(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')`)
	return err
}

// writing is for the connection that commits. Its statements find rows by their
// keys, whatever the tables hold; to plan them anew for every batch costs more
// than it can win. A plan that was made while the tables were small must not read
// them whole for as long as it is kept.
func writing(config *pgxpool.Config) *pgxpool.Config {
	config = config.Copy()
	set := config.ConnConfig.RuntimeParams
	set["plan_cache_mode"] = "force_generic_plan"
	for _, way := range []string{"enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"} {
		set[way] = "off"
	}
	return config
}

func connect(ctx context.Context, config *pgxpool.Config, most int32) (*pgxpool.Pool, error) {
	config = config.Copy()
	config.MaxConns, config.MinConns = most, 0
	return pgxpool.NewWithConfig(ctx, config)
}
