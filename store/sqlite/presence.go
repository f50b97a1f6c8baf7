package sqlite

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bellcord/bellcord"
)

// presence is a file that the open connections use.
type presence struct {
	path string
	info os.FileInfo
}

// storeIdentity stores the identity of the database files. SQLite keeps all of them while
// a connection is open.
func (s *Store) storeIdentity() error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		path := filepath.Join(s.dir, databaseName+suffix)
		info, err := stat(path)
		if err != nil {
			return err
		}
		s.files = append(s.files, presence{path, info})
	}
	return nil
}

// present returns ErrStoreLost if a database file was removed, replaced or
// emptied. Data written after that is lost when the last process closes the file.
func (s *Store) present() error {
	for i, f := range s.files {
		info, err := stat(f.path)
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
