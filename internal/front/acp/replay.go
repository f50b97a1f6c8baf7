package acp

import (
	"context"

	"github.com/bellcord/bellcord"
)

// replay sends what the log holds now, pieces of one text joined.
func (s *session) replay(ctx context.Context) error {
	tail, err := s.hub.Tail(ctx, s.id)
	if err != nil || tail == 0 {
		return err
	}
	cursor, err := s.hub.Events(ctx, s.id, 0)
	if err != nil {
		return err
	}
	defer cursor.Close()
	s.show.seen = seen{prompts: map[bellcord.TurnID]bellcord.Prompt{}, dialogs: s.show.dialogs}
	s.show.replaying = true
	defer func() { s.show.replaying = false }()
	for cursor.After() < tail {
		events, err := cursor.Next(ctx)
		if err != nil {
			return err
		}
		for _, ev := range bellcord.Joined(events) {
			if err := s.server.conn.Room(ctx); err != nil {
				return err
			}
			s.see(ev)
		}
	}
	s.at = cursor.After()
	return nil
}

// skip goes to the end of the log of a session that the client did not have
// open. What it has cost until there is known all the same.
func (s *session) skip(ctx context.Context) error {
	if s.at > 0 {
		return nil
	}
	spent, err := s.hub.Spending(ctx, bellcord.SpendingQuery{Session: s.id})
	if err != nil {
		return err
	}
	if s.at, err = s.hub.Tail(ctx, s.id); err != nil {
		return err
	}
	for _, one := range spent {
		s.show.bill.ended += one.CostNanoUSD
	}
	return nil
}
