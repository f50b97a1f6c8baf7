package postgres

import (
	"fmt"
	"io/fs"
	"sync"
)

// known is the schema version of this program.
func known() (int, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	return oldVersions + len(files), err
}

// newerSchema is why this program cannot use a schema.
func newerSchema(have, known int) error {
	return fmt.Errorf("the database has schema version %d, but this program supports only %d: a newer bellcord wrote it; update this program", have, known)
}

// outdated records that the schema became newer than this program while it ran.
type outdated struct {
	mu   sync.Mutex
	why  error
	told chan struct{} // closed when why is set
}

// schemaIs takes the schema's version, as it was when the lease was renewed.
func (s *Store) schemaIs(version int) {
	s.outdated.mu.Lock()
	defer s.outdated.mu.Unlock()
	if s.outdated.why != nil || version <= s.version {
		return
	}
	s.outdated.why = newerSchema(version, s.version)
	s.opts.Logger.Error("this node must shut down", "node", s.node, "err", s.outdated.why)
	close(s.outdated.told)
}

// Outdated returns why this node must not go on: a newer program has changed the
// schema since it started. It is nil while the schema is the one that it knows.
// Every renewal of the lease looks.
func (s *Store) Outdated() error {
	s.outdated.mu.Lock()
	defer s.outdated.mu.Unlock()
	return s.outdated.why
}

// WhenOutdated is closed once Outdated has an error.
func (s *Store) WhenOutdated() <-chan struct{} { return s.outdated.told }
