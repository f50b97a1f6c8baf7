package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/durable"
)

// Names of a store's files in its directory.
const (
	databaseName = "bellcord.db"
	identityName = "store.id"
)

// identity identifies the store that a database or a directory belongs to, with
// its number of committed transactions.
type identity struct {
	id      string
	commits int64
}

// identityLayout has a fixed width, so that the number can be overwritten in
// place.
const identityLayout = "%s %020d\n"

// remains lists files that exist only in the directory of a store that has been
// used.
var remains = []string{identityName, databaseName + "-wal", "token", "workspaces"}

// refuseEmpty returns ErrIdentity if the database is missing or empty although
// the directory contains files of a used store. It must run before SQLite opens
// the database, because SQLite deletes the write-ahead log of an empty database.
func refuseEmpty(dir string) error {
	info, err := os.Stat(filepath.Join(dir, databaseName))
	switch {
	case err == nil && info.Size() > 0:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	what := "is empty"
	if err != nil {
		what = "is missing"
	}
	for _, name := range remains {
		if used, err := isUsed(filepath.Join(dir, name)); used {
			return fmt.Errorf("%w: %s %s, but %s exists; put the file back, run \"bellcord store restore FILE\" with a backup, or run \"bellcord serve --new-store\" to start with an empty store",
				ErrIdentity, databaseName, what, name)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// isUsed reports whether a file exists. An empty directory does not count: an
// installation may create it before the first start.
func isUsed(path string) (bool, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil || !info.IsDir():
		return err == nil, err
	}
	entries, err := os.ReadDir(path)
	return len(entries) > 0, err
}

// ErrIdentity means that the database is not the one that was used in its
// directory.
var ErrIdentity = errors.New("the database is not the one used here before")

// setAside renames the remaining files of a lost database, so that a new store
// can be created in dir. It fails if the database exists.
func setAside(dir string) error {
	path := filepath.Join(dir, databaseName)
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return fmt.Errorf("%s is not empty: start without --new-store, or move the file away first", path)
	}
	for _, name := range []string{databaseName + "-wal", databaseName + "-shm", identityName} {
		err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, name+".old"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// identify compares the identity of the database with that of the directory. A
// new store, or one of an older version, gets an identity. The caller holds the
// turnstile.
func (s *Store) identify(ctx context.Context) error {
	inDir, err := readIdentity(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var inDatabase identity
	row := s.conn.QueryRowContext(ctx, `SELECT id, commits FROM identity`)
	switch err := row.Scan(&inDatabase.id, &inDatabase.commits); {
	case errors.Is(err, sql.ErrNoRows) && inDir.id == "":
		inDatabase.id = string(bellcord.NewSessionID())
		if _, err := s.conn.ExecContext(ctx, `INSERT INTO identity (one, id, commits) VALUES (1, $1, 0)`, inDatabase.id); err != nil {
			return err
		}
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return err
	}
	if inDir.id != "" {
		if err := inDir.compare(inDatabase); err != nil {
			return err
		}
	} else if err := writeIdentity(s.dir, inDatabase); err != nil {
		return err
	}
	s.mark, err = os.OpenFile(filepath.Join(s.dir, identityName), os.O_WRONLY, 0)
	s.id = inDatabase.id
	return err
}

const acceptDatabase = "run \"bellcord store restore FILE\" with a backup, or \"bellcord store adopt\" to keep using the database as it is"

// compare returns ErrIdentity if the database's identity does not match the
// directory's.
func (i identity) compare(database identity) error {
	switch {
	case database.id == "":
		return fmt.Errorf("%w: it has no id, but %s has %s: an older copy was put in its place; %s", ErrIdentity, identityName, i.id, acceptDatabase)
	case database.id != i.id:
		return fmt.Errorf("%w: its id is %s, but %s has %s; %s", ErrIdentity, database.id, identityName, i.id, acceptDatabase)
	case database.commits < i.commits:
		return fmt.Errorf("%w: its last %d commits are missing: its write-ahead log (%s-wal) was deleted, or an older copy was put in its place; put the files back, %s",
			ErrIdentity, i.commits-database.commits, databaseName, acceptDatabase)
	}
	return nil
}

func readIdentity(dir string) (identity, error) {
	data, err := os.ReadFile(filepath.Join(dir, identityName))
	if err != nil {
		return identity{}, err
	}
	var i identity
	if _, err := fmt.Sscanf(string(data), "%s %d", &i.id, &i.commits); err != nil || i.id == "" {
		return identity{}, fmt.Errorf("%w: cannot read %s (%q); %s", ErrIdentity, identityName, data, acceptDatabase)
	}
	return i, nil
}

// writeIdentity replaces the identity file atomically.
func writeIdentity(dir string, i identity) error {
	return durable.Replace(filepath.Join(dir, identityName), fmt.Appendf(nil, identityLayout, i.id, i.commits))
}

// counted increments and returns the number of transactions in the database.
func (t tx) counted() (commits int64, err error) {
	err = t.row(`UPDATE identity SET commits = commits + 1 RETURNING commits`).Scan(&commits)
	return commits, err
}

// noteCommit writes the number of the last durable commit to the directory. The
// write is not synced: after a power loss, or if the write fails, the file
// contains a smaller number, which is still a valid lower bound.
func (s *Store) noteCommit(commits int64) {
	_, _ = s.mark.WriteAt(fmt.Appendf(nil, identityLayout, s.id, commits), 0)
}
