// Package storecheck checks the rules that hold for every store: the events of a
// session have no gaps and can all be read, and every ended turn has exactly one
// end, which matches its record.
package storecheck

import (
	"context"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
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

// Run checks the whole store. Other processes may write to it during the check.
func Run(ctx context.Context, store bellcord.Reader) (*Report, error) {
	r := &Report{Problems: []string{}}
	sessions, err := store.Sessions(ctx, bellcord.SessionQuery{})
	if err != nil {
		r.Add("cannot list the sessions: %v", err)
		return r, ctx.Err()
	}
	r.Sessions = len(sessions)
	for _, s := range sessions {
		c := checker{report: r, store: store, session: s.ID, ends: map[bellcord.TurnID]int{}}
		if err := c.checkAll(ctx); err != nil && !c.deleted(ctx) {
			r.Add("session %s: %v", s.ID, err)
		}
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
	}
	if _, err := store.UnendedTurns(ctx, ""); err != nil {
		r.Add("cannot list the turns that have not ended: %v", err)
	}
	return r, ctx.Err()
}

// checker checks one session.
type checker struct {
	report  *Report
	store   bellcord.Reader
	session bellcord.SessionID
	last    int64                   // last sequence number read
	turns   []bellcord.TurnID       // in order of their first events
	ends    map[bellcord.TurnID]int // number of ends by turn
}

func (c *checker) checkAll(ctx context.Context) error {
	tail, err := c.store.Tail(ctx, c.session)
	if err != nil {
		return err
	}
	if err := c.read(ctx); err != nil {
		return err
	}
	if err := c.readChain(ctx); err != nil {
		return err
	}
	if c.last < tail {
		return fmt.Errorf("the events after %d are missing; the log should end at %d", c.last, tail)
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
		events, err := c.store.Events(ctx, c.session, c.last, chunk)
		if err != nil {
			return fmt.Errorf("events after %d: %w", c.last, err)
		}
		for _, ev := range events {
			if ev.Seq != c.last+1 {
				return fmt.Errorf("event %d is missing", c.last+1)
			}
			c.last = ev.Seq
			c.countEvent(ev)
		}
		c.report.Events += len(events)
		if len(events) < chunk {
			return nil
		}
	}
}

func (c *checker) countEvent(ev bellcord.Event) {
	if ev.Turn == "" {
		return
	}
	if _, known := c.ends[ev.Turn]; !known {
		c.ends[ev.Turn] = 0
		c.turns = append(c.turns, ev.Turn)
	}
	if _, is := ev.Body.(bellcord.TurnEnded); is {
		c.ends[ev.Turn]++
	}
}

// turn compares a turn's record with its events.
func (c *checker) turn(ctx context.Context, id bellcord.TurnID) error {
	record, err := c.store.Turn(ctx, id)
	if err != nil {
		return err
	}
	if record.State == bellcord.StateEnded && c.ends[id] == 0 { // the turn may have ended after the events were read
		if err := c.read(ctx); err != nil {
			return err
		}
	}
	switch ends := c.ends[id]; {
	case ends > 1:
		return fmt.Errorf("the log has %d ends of this turn", ends)
	case ends == 1 && (record.State != bellcord.StateEnded || record.Receipt == nil):
		return errors.New("the log has its end, but its record does not")
	case ends == 0 && record.State == bellcord.StateEnded:
		return errors.New("its record has an end, but the log does not")
	}
	return nil
}

// deleted reports whether the session was deleted during the check.
func (c *checker) deleted(ctx context.Context) bool {
	_, err := c.store.Session(ctx, c.session)
	return errors.Is(err, bellcord.ErrNoSession)
}
