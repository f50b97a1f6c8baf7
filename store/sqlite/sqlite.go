// Package sqlite implements store.Store on a SQLite database file. Several
// processes on one machine may share it. Each process is a node with its own ID
// and holds a lock on a file of that name while it lives, so that other nodes
// detect its death immediately and without a clock. Every write of a turn carries
// a fence and is rejected if the fence is outdated.
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

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/filelock"
	"github.com/bellcord/bellcord/store"
)

// Store is a store.Store in a directory.
type Store struct {
	dir  string
	node string
	lock *os.File // held while the node lives
	door *turnstile

	readers *sql.DB
	writers *sql.DB // one connection

	mu    sync.Mutex // protects the fields below up to tails: one transaction at a time
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	tails tails

	reads  sync.Map // prepared statements of readers, by text
	scrubs scrubs

	id    string     // ID of the store
	mark  *os.File   // the identity file
	files []presence // files that the connections have open
}

var _ store.Store = (*Store)(nil)

// busyTimeout is how long a statement waits for the lock of another connection.
const busyTimeout = 5 * time.Second

// Open opens the store in dir, migrates its schema and registers this process as
// a node. It creates the directory if necessary. It returns ErrIdentity if the
// database is not the one used in dir before, or if dir has lost its database.
func Open(ctx context.Context, dir string) (*Store, error) { return open(ctx, dir, refuseEmpty) }

// OpenNew is like Open, but creates an empty database in a directory that has
// lost its own. It fails if the database exists.
func OpenNew(ctx context.Context, dir string) (*Store, error) { return open(ctx, dir, setAside) }

func open(ctx context.Context, dir string, before func(dir string) error) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, "nodes"), 0o700); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, node: string(bellcord.NewSessionID()), stmts: map[string]*sql.Stmt{}, scrubs: scrubs{running: make(chan struct{}, 1)}}
	if err := s.open(ctx, before); err != nil {
		return nil, errors.Join(fmt.Errorf("opening store in %s: %w", dir, err), s.Close())
	}
	return s, nil
}

func (s *Store) open(ctx context.Context, before func(dir string) error) error {
	var err error
	// synchronous=FULL: text that a person has seen survives a power loss. The
	// group commit shares the cost. secure_delete: deleted data is overwritten.
	if s.writers, err = sql.Open("sqlite", s.dsn("_txlock=immediate", "_pragma=journal_mode(WAL)", "_pragma=synchronous(FULL)", "_pragma=secure_delete(1)")); err != nil {
		return err
	}
	s.writers.SetMaxOpenConns(1)
	if s.door, err = openTurnstile(s.dir); err != nil {
		return err
	}
	if err := s.prepare(ctx, before); err != nil {
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
	err = s.transact(ctx, func(t tx) error {
		return t.exec(`INSERT INTO nodes (id, started) VALUES ($1, $2)`, s.node, time.Now().UnixNano())
	})
	if err != nil {
		return err
	}
	return s.storeIdentity()
}

// prepare creates the database if necessary, connects to it, migrates the schema
// and checks the identity.
func (s *Store) prepare(ctx context.Context, before func(dir string) error) (err error) {
	if err := s.door.lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.door.unlock()) }()
	if err := before(s.dir); err != nil {
		return err
	}
	// Conversations are readable by the owner only, even if the directory is
	// readable by others. SQLite gives its other files the same mode.
	file, err := os.OpenFile(filepath.Join(s.dir, databaseName), os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if s.conn, err = s.writers.Conn(ctx); err != nil {
		return err
	}
	if err := migrate(ctx, s.conn, migrations); err != nil {
		return err
	}
	return s.identify(ctx)
}

func (s *Store) dsn(params ...string) string {
	return dsn(filepath.Join(s.dir, databaseName), params...)
}

// dsn returns the data source name of an existing database file.
func dsn(file string, params ...string) string {
	path := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath()}
	// mode=rw: a connection that is opened later must not create the file again.
	// cell_size_check: a damaged page more often causes an error than wrong rows.
	q := fmt.Sprintf("mode=rw&_pragma=busy_timeout(%d)&_pragma=cell_size_check(1)", busyTimeout.Milliseconds())
	for _, p := range params {
		q += "&" + p
	}
	return path.String() + "?" + q
}

func (s *Store) lockPath(node string) string { return filepath.Join(s.dir, "nodes", node+".lock") }

// Close closes the store. If this node still has unended turns, its row is kept,
// and another node takes them over.
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
		err = errors.Join(err, filelock.Release(s.lock))
		if err == nil {
			_ = os.Remove(s.lockPath(s.node)) // a missing lock file marks the node as dead, which is correct
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
	if s.mark != nil {
		err = errors.Join(err, s.mark.Close())
		s.mark = nil
	}
	err = errors.Join(err, s.door.closeFile())
	s.door = nil
	return err
}

// transact runs f in one transaction on the writing connection.
func (s *Store) transact(ctx context.Context, f func(tx) error) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return sql.ErrConnDone
	}
	if err := s.door.lock(); err != nil {
		return store.NotCommitted(err)
	}
	defer func() { err = errors.Join(err, s.door.unlock()) }()
	if err := s.present(); err != nil {
		return undone(err)
	}
	t := tx{ctx: context.WithoutCancel(ctx), s: s}
	if err := t.exec(`BEGIN IMMEDIATE`); err != nil {
		return undone(err)
	}
	err = t.refresh()
	if err == nil {
		err = f(t)
	}
	var commits int64
	if err == nil {
		commits, err = t.counted()
	}
	if err != nil {
		s.tails.clearAll()
		_ = t.exec(`ROLLBACK`) // fails if the error has already rolled back
		return undone(err)
	}
	if err := t.exec(`COMMIT`); err != nil {
		s.tails.clearAll()
		_ = t.exec(`ROLLBACK`) // fails if the failed commit has already rolled back
		return undone(err)
	}
	s.noteCommit(commits)
	return s.present() // if a file was removed meanwhile, the commit is lost
}

// undone marks the error of a transaction that was rolled back. If a commit could
// not be synced, its frames may still be in the write-ahead log, but readers
// ignore them and the next commit overwrites them.
func undone(err error) error { return store.NotCommitted(explain(err)) }
