// Package storecheck checks the rules that hold for every store: the events of a
// session have no gaps, can all be read and match their hashes, and every ended
// turn has exactly one end, with the receipt of its record.
package storecheck

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Report contains the counts and the problems of a check.
type Report struct {
	Sessions int `json:"sessions"`
	Turns    int `json:"turns"`
	Events   int `json:"events"`
	// Chained is the number of events with a hash that was verified. It is 0 for a
	// store that does not chain its events.
	Chained int `json:"chained"`
	// Problems contains at most mostProblems entries.
	Problems []string `json:"problems"`
}

// mostProblems limits the number of reported problems. A store with more should
// be restored from a backup, not repaired.
const mostProblems = 50

// chunk is the number of events read at a time.
const chunk = 1000

// Add adds a problem to the report, unless it is full.
func (r *Report) Add(format string, args ...any) {
	if len(r.Problems) < mostProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// Run checks the whole store, the most recently used session first, and receipts
// that were kept elsewhere. Other processes may write to the store during the
// check. If ctx ends, Run returns its error and the report so far.
func Run(ctx context.Context, from store.Reader, kept ...bellcord.Receipt) (*Report, error) {
	r := &Report{Problems: []string{}}
	for _, receipt := range kept {
		if err := checkReceipt(ctx, from, receipt); err != nil && ctx.Err() == nil {
			r.Add("the receipt of turn %s does not match: %v", receipt.Turn, err)
		}
	}
	sessions, err := from.Sessions(ctx, store.SessionQuery{})
	if err != nil {
		if ctx.Err() == nil {
			r.Add("cannot list the sessions: %v", err)
		}
		return r, ctx.Err()
	}
	r.Sessions = len(sessions)
	for _, s := range sessions {
		c := checker{report: r, store: from, session: s.ID, ends: map[bellcord.TurnID][]bellcord.Receipt{}}
		err := c.checkAll(ctx)
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err != nil && !c.deleted(ctx) {
			r.Add("session %s: %v", s.ID, err)
		}
	}
	if _, err := from.UnendedTurns(ctx, ""); err != nil {
		r.Add("cannot list the turns that have not ended: %v", err)
	}
	return r, ctx.Err()
}

// checker checks one session.
type checker struct {
	report  *Report
	store   store.Reader
	session bellcord.SessionID
	head    bellcord.LogHead                       // of the events read; without a hash if the store does not chain
	turns   []bellcord.TurnID                      // in order of their first events
	ends    map[bellcord.TurnID][]bellcord.Receipt // receipts in the log, by turn
}

func (c *checker) checkAll(ctx context.Context) error {
	tail, err := c.store.Tail(ctx, c.session)
	if err != nil {
		return err
	}
	if err := c.read(ctx); err != nil {
		return err
	}
	if c.head.Seq < tail {
		return fmt.Errorf("the events after %d are missing; the log should end at %d", c.head.Seq, tail)
	}
	c.report.Turns += len(c.turns)
	for _, turn := range c.turns {
		if err := c.turn(ctx, turn); err != nil {
			return fmt.Errorf("turn %s: %w", turn, err)
		}
	}
	return nil
}

// read reads the events added since the last call.
func (c *checker) read(ctx context.Context) error {
	for {
		events, err := c.nextPage(ctx)
		if err != nil {
			return err
		}
		for _, ev := range events {
			c.countEvent(ev)
		}
		c.report.Events += len(events)
		if len(events) < chunk {
			return nil
		}
	}
}

// nextPage reads and verifies up to chunk events.
func (c *checker) nextPage(ctx context.Context) ([]bellcord.Event, error) {
	if chain, is := c.store.(store.ChainReader); is {
		stored, err := chain.StoredEvents(ctx, c.session, c.head.Seq, chunk)
		if err != nil {
			return nil, fmt.Errorf("events after %d: %w", c.head.Seq, err)
		}
		events, head, err := verified(stored, c.head)
		c.report.Chained += len(events)
		c.head = head
		return events, err
	}
	events, err := c.store.Events(ctx, c.session, c.head.Seq, chunk)
	if err != nil {
		return nil, fmt.Errorf("events after %d: %w", c.head.Seq, err)
	}
	for _, ev := range events {
		if ev.Seq != c.head.Seq+1 {
			return nil, missing(c.head.Seq + 1)
		}
		c.head.Seq = ev.Seq
	}
	return events, nil
}

func (c *checker) countEvent(ev bellcord.Event) {
	if ev.Turn == "" {
		return
	}
	if _, known := c.ends[ev.Turn]; !known {
		c.ends[ev.Turn] = nil
		c.turns = append(c.turns, ev.Turn)
	}
	if ended, is := ev.Body.(bellcord.TurnEnded); is {
		c.ends[ev.Turn] = append(c.ends[ev.Turn], ended.Receipt)
	}
}

// turn compares a turn's record with its events.
func (c *checker) turn(ctx context.Context, id bellcord.TurnID) error {
	record, err := c.store.Turn(ctx, id)
	if err != nil {
		return err
	}
	if record.State == bellcord.StateEnded && len(c.ends[id]) == 0 { // the turn may have ended after the events were read
		if err := c.read(ctx); err != nil {
			return err
		}
	}
	switch ends := c.ends[id]; {
	case len(ends) > 1:
		return fmt.Errorf("the log has %d ends of this turn", len(ends))
	case len(ends) == 1 && (record.State != bellcord.StateEnded || record.Receipt == nil):
		return errors.New("the log has its end, but its record does not")
	case len(ends) == 0 && record.State == bellcord.StateEnded:
		return errors.New("its record has an end, but the log does not")
	case len(ends) == 1 && !record.Receipt.Equal(ends[0]):
		return errors.New("its record has another receipt than the log")
	}
	return nil
}

// deleted reports whether the session was deleted during the check.
func (c *checker) deleted(ctx context.Context) bool {
	_, err := c.store.Session(ctx, c.session)
	return errors.Is(err, bellcord.ErrNoSession)
}
