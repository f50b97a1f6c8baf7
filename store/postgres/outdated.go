package postgres

import (
	"fmt"
	"io/fs"
	"sync"
)

// newestSchema returns the schema version of this program.
func newestSchema() (int, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	return firstVersion + len(files) - 1, err
}

// newerSchema returns the error for a schema that this program does not support.
func newerSchema(have, supported int) error {
	return fmt.Errorf("the database has schema version %d, but this program supports only %d: a newer bellcord wrote it; update this program", have, supported)
}

// outdated records that the schema has become newer than this program.
type outdated struct {
	mu       sync.Mutex
	why      error
	detected chan struct{} // closed when why is set
}

// schemaIs checks the schema version that was read with a lease renewal.
func (s *Store) schemaIs(version int) {
	s.outdated.mu.Lock()
	defer s.outdated.mu.Unlock()
	if s.outdated.why != nil || version <= s.version {
		return
	}
	s.outdated.why = newerSchema(version, s.version)
	s.opts.Logger.Error("this node must shut down", "node", s.node, "err", s.outdated.why)
	close(s.outdated.detected)
}

// Outdated returns an error if a newer program has changed the schema since this
// node started, and nil otherwise. The node must then shut down. The version is
// checked with every lease renewal.
func (s *Store) Outdated() error {
	s.outdated.mu.Lock()
	defer s.outdated.mu.Unlock()
	return s.outdated.why
}

// WhenOutdated returns a channel that is closed when Outdated returns an error.
func (s *Store) WhenOutdated() <-chan struct{} { return s.outdated.detected }
