package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord/internal/filelock"
)

// Backup writes a consistent copy of the database in dir to a new file. Other
// processes can continue to write. The file has mode 0600 and must not exist.
func Backup(ctx context.Context, dir, file string) (err error) {
	s, err := openReader(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	made, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, made.Close())
		if err != nil {
			_ = os.Remove(file) // do not leave an incomplete copy
		}
	}()
	// SQLite's backup API starts over whenever another process writes, and never
	// ends under load. VACUUM INTO reads in one transaction.
	vacuum, err := sql.Open("sqlite", s.dsn())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, vacuum.Close()) }()
	if _, err := vacuum.ExecContext(ctx, `VACUUM INTO $1`, file); err != nil {
		return fmt.Errorf("copying the database: %w", explain(err))
	}
	return made.Sync()
}

// ErrInUse means that other processes have the store open.
var ErrInUse = errors.New("the store is in use: stop the server and every other bellcord on this data directory first")

// Restore replaces the database in dir with a copy that Backup wrote. It keeps
// the previous database as bellcord.db.old and returns that name, or "" if there
// was no database.
func Restore(ctx context.Context, dir, file string) (old string, err error) {
	if _, err := os.Stat(file + "-wal"); err == nil {
		return "", fmt.Errorf("%s has a write-ahead log next to it, so it is not a complete copy; make one with \"bellcord store backup\"", file)
	}
	err = alone(dir, func() error {
		copied := filepath.Join(dir, databaseName+".restoring")
		defer func() { _ = os.Remove(copied) }() // fails after success, when the file has been renamed
		if err := copyTo(copied, file); err != nil {
			return err
		}
		i, err := inspect(ctx, copied)
		if err != nil {
			return fmt.Errorf("cannot restore %s: %w", file, err)
		}
		if old, err = keepOld(dir); err != nil {
			return err
		}
		if err := os.Rename(copied, filepath.Join(dir, databaseName)); err != nil {
			return err
		}
		if i.id == "" { // an old copy without an identity: the next Open creates one
			return remove(filepath.Join(dir, identityName))
		}
		return writeIdentity(dir, i)
	})
	return old, err
}

// Adopt accepts the database in dir as the one that belongs there, after
// ErrIdentity.
func Adopt(ctx context.Context, dir string) error {
	return alone(dir, func() error {
		i, err := inspect(ctx, filepath.Join(dir, databaseName))
		if err != nil {
			return err
		}
		if i.id == "" {
			return remove(filepath.Join(dir, identityName))
		}
		return writeIdentity(dir, i)
	})
}

// alone runs do while no other process has the store in dir open or can open it.
// It returns ErrInUse if one has.
func alone(dir string, do func() error) (err error) {
	if err := os.MkdirAll(filepath.Join(dir, "nodes"), 0o700); err != nil {
		return err
	}
	door, err := openTurnstile(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, door.closeFile()) }()
	if err := door.lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, door.unlock()) }()
	locks, err := filepath.Glob(filepath.Join(dir, "nodes", "*.lock"))
	if err != nil {
		return err
	}
	for _, path := range locks {
		lock, err := filelock.Try(path)
		if errors.Is(err, filelock.ErrHeld) {
			return ErrInUse
		} else if err != nil {
			return err
		}
		if err := filelock.Release(lock); err != nil {
			return err
		}
	}
	return do()
}

// inspect checks a database file that no process uses and returns its identity,
// which is empty for databases of older versions.
func inspect(ctx context.Context, path string) (i identity, err error) {
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return i, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var verdict string
	if err := db.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&verdict); err != nil {
		return i, explain(err)
	} else if verdict != "ok" {
		return i, fmt.Errorf("the file is damaged: %s", verdict)
	}
	var sessions, identities int
	err = db.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE name = 'sessions'), count(*) FILTER (WHERE name = 'identity') FROM sqlite_master`).Scan(&sessions, &identities)
	switch {
	case err != nil:
		return i, err
	case sessions == 0:
		return i, errors.New("the file is not a Bellcord store")
	case identities == 0:
		return i, nil
	}
	err = db.QueryRowContext(ctx, `SELECT id, commits FROM identity`).Scan(&i.id, &i.commits)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return i, err
}

// keepOld renames the database and its write-ahead log, so that SQLite still
// opens them together. It returns the new name, or "" if there was no database.
func keepOld(dir string) (string, error) {
	path := filepath.Join(dir, databaseName)
	old := path + ".old"
	for n := 2; ; n++ {
		if _, err := os.Lstat(old); errors.Is(err, fs.ErrNotExist) {
			break
		}
		old = fmt.Sprintf("%s.old.%d", path, n)
	}
	err := os.Rename(path, old)
	if errors.Is(err, fs.ErrNotExist) {
		old = ""
	} else if err != nil {
		return "", err
	}
	wal := os.Remove
	if old != "" {
		wal = func(name string) error { return os.Rename(name, old+"-wal") }
	}
	if err := wal(path + "-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return old, err
	}
	return old, remove(path + "-shm")
}

func copyTo(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
