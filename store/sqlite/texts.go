package sqlite

import (
	"context"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/serverstore"
)

var _ serverstore.TextReader = (*Store)(nil)

var textEvents = `SELECT seq, turn, kind, at, body FROM events WHERE session = $1 AND kind IN ('` +
	strings.Join(serverstore.TextKinds(), `', '`) + `') ORDER BY seq DESC LIMIT $2`

// TextEvents implements serverstore.TextReader.
func (s *Store) TextEvents(ctx context.Context, session bellcord.SessionID, limit int) ([]bellcord.Event, error) {
	rows, err := s.query(ctx, textEvents, string(session), limit)
	if err != nil {
		return nil, err
	}
	events, err := scanEvents(rows, session)
	slices.Reverse(events)
	return events, err
}
