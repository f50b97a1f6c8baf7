package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
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
