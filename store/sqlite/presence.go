package sqlite

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord"
)

// presence remembers which files the open connections write to.
type presence struct {
	path string
	info os.FileInfo
}

// look remembers the files of the database. SQLite keeps all of them while a
// connection is open.
func (s *Store) look() error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		path := filepath.Join(s.dir, databaseName+suffix)
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		s.files = append(s.files, presence{path, info})
	}
	return nil
}

// present returns ErrStoreLost where a file of the database is no longer in its
// place: what is written then is gone with the last process that has it open.
func (s *Store) present() error {
	for i, f := range s.files {
		info, err := os.Stat(f.path)
		switch {
		case err != nil:
			return fmt.Errorf("%w: %w", bellcord.ErrStoreLost, err)
		case !os.SameFile(info, f.info):
			return fmt.Errorf("%w: %s was replaced by another file", bellcord.ErrStoreLost, f.path)
		case i == 0 && info.Size() == 0:
			return fmt.Errorf("%w: %s was emptied", bellcord.ErrStoreLost, f.path)
		}
	}
	return nil
}
