package postgres

import (
	"context"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
)

var _ serverstore.TextReader = (*Store)(nil)

// TextEvents implements serverstore.TextReader.
func (s *Store) TextEvents(ctx context.Context, session bellcord.SessionID, limit int) ([]bellcord.Event, error) {
	rows, err := s.readers.Query(ctx,
		`SELECT seq, turn, kind, at, body FROM events WHERE session = $1 AND kind = ANY ($2::text[]) ORDER BY seq DESC LIMIT $3`,
		word(session), serverstore.TextKinds(), limit)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	events, err := scanEvents(rows, session)
	slices.Reverse(events)
	return events, s.explain(ctx, err)
}
