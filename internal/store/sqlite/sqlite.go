// Package sqlite keeps Bellcord's log in one SQLite file. Several processes may
// share it: each is a node with an id of its own and holds a lock on a file of
// that name for as long as it lives, so that the others can tell at once, and
// without a clock, whether it does. Every write carries a fence and is refused
// when it is stale.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/filelock"
)

// Store is a bellcord.Store on a directory.
type Store struct {
	dir  string
	node string
	lock *os.File // held for as long as the node lives
	door turnstile

	readers *sql.DB
	writers *sql.DB // one connection

	mu    sync.Mutex // guards conn: one transaction at a time
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	tails tails

	reads sync.Map // prepared statements of readers, by text
}

var _ bellcord.Store = (*Store)(nil)

// busyTimeout is how long a commit waits for another process's.
const busyTimeout = 5 * time.Second

// Open opens the store in dir, which is made when missing, brings its schema up
// to date and registers this process as a node.
func Open(ctx context.Context, dir string) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, "nodes"), 0o700); err != nil {
		return nil, err
	}
	// What people said is for the owner alone, also where the directory is not.
	// SQLite's other files get the rights of this one.
	file, err := os.OpenFile(filepath.Join(dir, "bellcord.db"), os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, node: string(bellcord.NewSessionID()), stmts: map[string]*sql.Stmt{}}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("opening store in %s: %w", dir, err), s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) error {
	var err error
	// FULL: what a person has been shown survives the loss of power, too. The
	// log's group commit pays for it.
	if s.writers, err = sql.Open("sqlite", s.dsn("_txlock=immediate", "_pragma=journal_mode(WAL)", "_pragma=synchronous(FULL)")); err != nil {
		return err
	}
	s.writers.SetMaxOpenConns(1)
	if s.door, err = openTurnstile(s.dir); err != nil {
		return err
	}
	if err := s.prepare(ctx); err != nil {
		return err
	}
	if s.readers, err = sql.Open("sqlite", s.dsn("_pragma=query_only(1)")); err != nil {
		return err
	}
	s.readers.SetMaxOpenConns(8)
	s.readers.SetMaxIdleConns(8)
	if s.lock, err = filelock.Try(s.lockPath(s.node)); err != nil {
		return err
	}
	return s.transact(ctx, func(t tx) error {
		return t.exec(`INSERT INTO nodes (id, started) VALUES ($1, $2)`, s.node, time.Now().UnixNano())
	})
}

// prepare connects and brings the schema up to date.
func (s *Store) prepare(ctx context.Context) (err error) {
	if err := s.door.enter(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.door.leave()) }()
	if s.conn, err = s.writers.Conn(ctx); err != nil {
		return err
	}
	return migrate(ctx, s.conn)
}

func (s *Store) dsn(params ...string) string {
	path := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(filepath.Join(s.dir, "bellcord.db"))}).EscapedPath()}
	q := fmt.Sprintf("_pragma=busy_timeout(%d)", busyTimeout.Milliseconds())
	for _, p := range params {
		q += "&" + p
	}
	return path.String() + "?" + q
}

func (s *Store) lockPath(node string) string { return filepath.Join(s.dir, "nodes", node+".lock") }

// Close lets go of the store. A node that leaves with turns unended leaves its
// row and they are taken over at once by whoever looks next.
func (s *Store) Close() error {
	var err error
	if s.lock != nil {
		err = s.transact(context.Background(), func(t tx) error {
			return t.exec(`DELETE FROM nodes WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM turns WHERE node = $1 AND state <> 'ended')`, s.node)
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
		if err == nil {
			_ = os.Remove(s.lockPath(s.node)) // whoever finds it gone takes the node for dead, which it is
		}
		s.lock = nil
	}
	for _, stmt := range s.stmts {
		err = errors.Join(err, stmt.Close())
	}
	s.stmts = nil
	if s.conn != nil {
		err = errors.Join(err, s.conn.Close())
		s.conn = nil
	}
	for _, db := range []*sql.DB{s.readers, s.writers} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	err = errors.Join(err, s.door.close())
	s.door = turnstile{}
	return err
}

// transact runs f in one transaction on the writing connection.
func (s *Store) transact(ctx context.Context, f func(tx) error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return sql.ErrConnDone
	}
	if err := s.door.enter(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.door.leave()) }()
	t := tx{ctx: context.WithoutCancel(ctx), s: s}
	if err := t.exec(`BEGIN IMMEDIATE`); err != nil {
		return err
	}
	err = t.refresh()
	if err == nil {
		err = f(t)
	}
	if err != nil {
		s.tails.forget()
		return errors.Join(err, t.exec(`ROLLBACK`))
	}
	if err := t.exec(`COMMIT`); err != nil {
		s.tails.forget()
		_ = t.exec(`ROLLBACK`) // fails when the failed commit has rolled back already
		return err
	}
	return nil
}
