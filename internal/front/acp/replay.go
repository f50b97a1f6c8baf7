package acp

import (
	"context"
	"math"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/store"
)

// replay sends the events that are in the log now, with the pieces of a text
// joined.
func (s *session) replay(ctx context.Context, _ acp.Meta) error {
	tail, err := s.hub.Tail(ctx, s.id)
	if err != nil || tail == 0 {
		return err
	}
	cursor, err := s.hub.Events(ctx, s.id, 0)
	if err != nil {
		return err
	}
	defer cursor.Close()
	s.restart()
	s.show.Replaying = true
	defer func() { s.show.Replaying = false }()
	for cursor.After() < tail {
		events, err := cursor.Next(ctx)
		if err != nil {
			return err
		}
		for _, ev := range bellcord.Joined(events) {
			if err := s.server.conn.WaitWritable(ctx); err != nil {
				return err
			}
			s.see(ev)
		}
	}
	s.at = cursor.After()
	return nil
}

// skip moves to the end of the log, unless the client already had the session
// open. It adds the cost of the skipped turns to the bill.
func (s *session) skip(ctx context.Context) error {
	if s.at > 0 {
		return nil
	}
	if s.view.needsHistory() {
		last, err := s.hub.Tail(ctx, s.id)
		if err != nil {
			return err
		}
		return s.rebuild(ctx, position{last, math.MaxInt})
	}
	spent, err := s.hub.Spending(ctx, store.SpendingQuery{Session: s.id})
	if err != nil {
		return err
	}
	if s.at, err = s.hub.Tail(ctx, s.id); err != nil {
		return err
	}
	for _, one := range spent {
		s.show.AddCost(one.CostNanoUSD)
	}
	return nil
}
