package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bellcord/bellcord"
)

// tx is the transaction under way. Refusals are results; its errors end the
// transaction. What nobody reads before the end is written with the commit.
type tx struct {
	ctx   context.Context
	s     *Store
	conn  *pgx.Conn
	lives bool                         // this node's row is there and stays; looked at where an op starts something
	held  map[bellcord.SessionID]*tail // the sessions that are there, and ours alone until the end
	scope map[int][]string             // of the batch's RecordStops, by their place: the turns that they found
	ahead ahead
	rows  eventRows
	later *pgx.Batch
}

// tail is a session as the transaction has it.
type tail struct {
	owner   string
	head    bellcord.LogHead
	grown   bool
	touched int64 // the latest time that something happened in it
}

// mostTries is how often a transaction that met another in the wrong order is
// tried again. The order of locks makes that rare; nothing was acknowledged.
const mostTries = 10

// mostCommit is how long a transaction may take. A connection that leads nowhere
// any more, to a machine that is gone, would keep it waiting for a quarter of an
// hour; given up, it is one whose end nobody knows.
const mostCommit = 10 * time.Second

// transact runs f in one transaction on the one connection that writes. After an
// error that came with the end of the transaction nobody can tell whether it
// happened: f's ops are then to be committed again.
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
	defer conn.Release() // a connection that is lost, or not out of its transaction, is closed
	for tries := 1; ; tries++ {
		err := s.try(ctx, conn.Conn(), f)
		if err == nil || tries == mostTries || !isCode(err, deadlock) && !isCode(err, notSerial) {
			return s.explain(ctx, err)
		}
		s.opts.Logger.Warn("commit conflicted with another one, retrying", "err", err)
	}
}

func (s *Store) try(ctx context.Context, conn *pgx.Conn, f func(*tx) error) error {
	t := &tx{ctx: ctx, s: s, conn: conn, later: &pgx.Batch{}}
	err := f(t)
	if err == nil {
		err = t.commit()
	} else {
		err = undone(err)
	}
	if err != nil && !conn.IsClosed() {
		end, done := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
		defer done()
		_, _ = conn.Exec(end, `ROLLBACK`) // where it fails, the connection is closed, and that does it
	}
	return err
}

const begin = `BEGIN ISOLATION LEVEL READ COMMITTED`

// beginTx starts a transaction that needs no more than its own rows' locks.
func (t *tx) beginTx() error {
	_, err := t.conn.Exec(t.ctx, begin)
	return err
}

var errRolledBack = errors.New("the transaction was rolled back")

// commit writes what was left for the end, and ends the transaction, in one
// round trip.
func (t *tx) commit() error {
	t.moveTails()
	t.touchSessions()
	t.rows.insert(t.later)
	t.later.Queue(`COMMIT`).Exec(func(tag pgconn.CommandTag) error {
		if tag.String() != "COMMIT" {
			return errRolledBack
		}
		return nil
	})
	return t.sendBatch(t.later)
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

// mark leaves a sign for the other nodes that there is something new.
func (t *tx) mark() {
	t.later.Queue(`
		INSERT INTO marks (node, mark, at) VALUES ($1, nextval('mark_numbers'), `+clock+`)
		ON CONFLICT (node) DO UPDATE SET mark = excluded.mark, at = excluded.at`, t.s.node)
}

// touch notes that something happened in a session.
func (t *tx) touch(session bellcord.SessionID, at time.Time) {
	if s := t.held[session]; s != nil {
		s.touched = max(s.touched, at.UnixNano())
	}
}

func unknownOp(op bellcord.Op) error { return fmt.Errorf("unknown op %T", op) }

// undone marks the error of a transaction whose end was not sent.
func undone(err error) error { return bellcord.NotCommitted(err) }
