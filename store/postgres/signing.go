package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// signingKeySize is the length in bytes of the key that signs messages between
// nodes.
const signingKeySize = 32

// takeSigningKey reads the key that signs messages between nodes. The first node
// on a schema creates it.
func (s *Store) takeSigningKey(ctx context.Context) error {
	fresh := make([]byte, signingKeySize)
	rand.Read(fresh) //nolint:errcheck // never fails
	_, err := s.writer.Exec(ctx, `INSERT INTO secrets (name, secret) VALUES ('bus', $1) ON CONFLICT DO NOTHING`, fresh)
	if err == nil {
		err = s.writer.QueryRow(ctx, `SELECT secret FROM secrets WHERE name = 'bus'`).Scan(&s.signingKey)
	}
	if err == nil && len(s.signingKey) < signingKeySize {
		err = fmt.Errorf("it has %d bytes instead of %d; delete the row 'bus' of the table secrets and restart all nodes", len(s.signingKey), signingKeySize)
	}
	if err != nil {
		return fmt.Errorf("reading the key that signs messages between nodes: %w", err)
	}
	return nil
}

// SigningKey returns the key that signs messages between the nodes of this
// schema.
func (s *Store) SigningKey() []byte { return s.signingKey }

// storeClock estimates the database's clock. While the database cannot be
// reached, it advances with the local monotonic clock.
type storeClock struct {
	mu   sync.Mutex
	then time.Time // time of the database's clock
	at   time.Time // local monotonic time at that moment
}

// set sets the database's time, which was read between two local times.
func (c *storeClock) set(nanoseconds int64, requested, answered time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.then, c.at = time.Unix(0, nanoseconds), requested.Add(answered.Sub(requested)/2)
}

// Now returns an estimate of the database's time, without I/O. It is based on the
// last lease renewal and differs by at most half the duration of that renewal. It
// does not depend on this machine's wall clock.
func (s *Store) Now() time.Time {
	s.clock.mu.Lock()
	defer s.clock.mu.Unlock()
	return s.clock.then.Add(time.Since(s.clock.at))
}
