package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// tx is the current transaction. A rejected op is a result; an error ends the
// transaction. Rows that are not read in the transaction are written with the
// commit.
type tx struct {
	ctx   context.Context
	s     *Store
	conn  *pgx.Conn
	lives bool                         // this node's row exists and is locked; set only if an op starts a turn
	held  map[bellcord.SessionID]*tail // existing sessions, locked until the end of the transaction
	scope map[int][]string             // turns matched by each RecordStops, by its index in the batch
	ahead ahead
	rows  *eventRows
	later *pgx.Batch
}

// tail is the state of a session in the transaction.
type tail struct {
	owner   string
	head    bellcord.LogHead
	grown   bool
	touched int64 // time of the latest change in the session
}

// mostTries limits how often a transaction is retried after a deadlock or
// serialization failure. The order of locks makes these rare. Nothing was
// acknowledged before.
const mostTries = 10

// mostCommit limits the duration of a transaction. A connection to an unreachable
// machine could otherwise block it for a quarter of an hour. Whether a
// transaction with an expired limit was committed cannot be determined.
const mostCommit = 10 * time.Second

// transact runs f in one transaction on the writing connection. If the error
// occurred at the end of the transaction, whether it was committed cannot be
// determined; the ops must then be committed again.
func (s *Store) transact(ctx context.Context, f func(*tx) error) error {
	if s.closed.Load() {
		return bellcord.ErrClosed
	}
	ctx, done := context.WithTimeout(ctx, mostCommit)
	defer done()
	conn, err := s.writer.Acquire(ctx)
	if err != nil {
		return undone(s.explain(ctx, err))
	}
	defer conn.Release() // closes a connection that is lost or still in a transaction
	for tries := 1; ; tries++ {
		err := s.try(ctx, conn.Conn(), f)
		if err == nil || tries == mostTries || !isCode(err, deadlock) && !isCode(err, notSerial) {
			return s.explain(ctx, err)
		}
		s.opts.Logger.Warn("commit conflicted with another one, retrying", "err", err)
	}
}

func (s *Store) try(ctx context.Context, conn *pgx.Conn, f func(*tx) error) error {
	s.rows.empty()
	t := &tx{ctx: ctx, s: s, conn: conn, rows: &s.rows, later: &pgx.Batch{}}
	err := f(t)
	if err == nil {
		err = t.commit()
	} else {
		err = undone(err)
	}
	if err != nil && !conn.IsClosed() {
		end, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
		defer done()
		_, _ = conn.Exec(end, `ROLLBACK`) // if it fails, the connection is closed, which rolls back
	}
	return err
}

const begin = `BEGIN ISOLATION LEVEL READ COMMITTED`

// beginTx starts a transaction that needs only the locks of the rows it uses.
func (t *tx) beginTx() error {
	_, err := t.conn.Exec(t.ctx, begin)
	return err
}

var errRolledBack = errors.New("the transaction was rolled back")

// commit writes the delayed rows and ends the transaction, in one round trip.
func (t *tx) commit() error {
	t.queueRows()
	t.later.Queue(`COMMIT`).Exec(func(tag pgconn.CommandTag) error {
		if tag.String() != "COMMIT" {
			return errRolledBack
		}
		return nil
	})
	return t.sendBatch(t.later)
}

// queueRows queues the delayed rows.
func (t *tx) queueRows() {
	t.moveTails()
	t.touchSessions()
	t.rows.insert(t.later)
}

// sendBatch runs a batch of statements in one round trip.
func (t *tx) sendBatch(b *pgx.Batch) error { return t.conn.SendBatch(t.ctx, b).Close() }

func (t *tx) exec(query string, args ...any) error {
	_, err := t.affected(query, args...)
	return err
}

func (t *tx) affected(query string, args ...any) (int64, error) {
	tag, err := t.conn.Exec(t.ctx, query, args...)
	return tag.RowsAffected(), err
}

func (t *tx) moveTails() {
	var sessions []string
	var last []int64
	var hashes [][]byte
	for id, s := range t.held {
		if s.grown {
			sessions, last, hashes = append(sessions, textOf(id)), append(last, s.head.Seq), append(hashes, s.head.Hash[:])
		}
	}
	if len(sessions) > 0 {
		t.later.Queue(`
			UPDATE tails SET last_seq = new.last, hash = new.hash
			FROM unnest($1::text[], $2::bigint[], $3::bytea[]) AS new (session, last, hash) WHERE tails.session = new.session`, sessions, last, hashes)
	}
}

func (t *tx) touchSessions() {
	var sessions []string
	var at []int64
	for id, s := range t.held {
		if s.touched != 0 {
			sessions, at = append(sessions, textOf(id)), append(at, s.touched)
		}
	}
	if len(sessions) > 0 {
		t.later.Queue(`UPDATE sessions SET updated = greatest(updated, new.at) FROM unnest($1::text[], $2::bigint[]) AS new (session, at) WHERE id = new.session`, sessions, at)
	}
}

// mark notifies other nodes of a change, see Changed.
func (t *tx) mark() {
	t.later.Queue(`
		INSERT INTO marks (node, mark, at) VALUES ($1, nextval('mark_numbers'), `+clock+`)
		ON CONFLICT (node) DO UPDATE SET mark = excluded.mark, at = excluded.at`, t.s.node)
}

// touch updates the time of the latest change of a session.
func (t *tx) touch(session bellcord.SessionID, at time.Time) {
	if s := t.held[session]; s != nil {
		s.touched = max(s.touched, at.UnixNano())
	}
}

func unknownOp(op store.Op) error { return fmt.Errorf("unknown op %T", op) }

// undone marks the error of a transaction for which no COMMIT was sent.
func undone(err error) error { return store.NotCommitted(err) }
