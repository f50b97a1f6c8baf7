package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// signingKeySize is the length of the key that signs messages between nodes.
const signingKeySize = 32

// takeSigningKey reads the key that signs messages between nodes. The first node
// on a schema makes it.
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

// SigningKey is the key that signs messages between the nodes of this schema.
func (s *Store) SigningKey() []byte { return s.signingKey }

// storeClock is an estimate of the database's clock. It goes on by this machine's
// steady clock while the database cannot be reached.
type storeClock struct {
	mu   sync.Mutex
	then time.Time // by the database's clock
	at   time.Time // by the steady one, when it was then
}

// told takes the database's time as it was between two moments.
func (c *storeClock) told(nanoseconds int64, asked, answered time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.then, c.at = time.Unix(0, nanoseconds), asked.Add(answered.Sub(asked)/2)
}

// Now returns the database's time. It asks nobody: the estimate is as old as the
// lease, and off by at most half the time that its renewal took. The wall clock of
// this machine has no part in it.
func (s *Store) Now() time.Time {
	s.clock.mu.Lock()
	defer s.clock.mu.Unlock()
	return s.clock.then.Add(time.Since(s.clock.at))
}
