package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Events implements store.Reader.
func (m *Memory) Events(_ context.Context, session bellcord.SessionID, after int64, limit int) ([]bellcord.Event, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	events := m.events[session]
	events = events[min(after, int64(len(events))):]
	return slices.Clone(events[:min(limit, len(events))]), nil
}

// Tail implements store.Reader.
func (m *Memory) Tail(_ context.Context, session bellcord.SessionID) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return int64(len(m.events[session])), nil
}

// Tails implements store.Reader.
func (m *Memory) Tails(_ context.Context, sessions []bellcord.SessionID) ([]int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []int64
	for _, id := range sessions {
		all = append(all, int64(len(m.events[id])))
	}
	return all, nil
}

// Turn implements store.Reader.
func (m *Memory) Turn(_ context.Context, id bellcord.TurnID) (store.TurnRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, exists := m.turns[id]
	if !exists {
		return store.TurnRecord{}, bellcord.ErrNoTurn
	}
	return t.TurnRecord, nil
}

// UnendedTurns implements store.Reader.
func (m *Memory) UnendedTurns(_ context.Context, session bellcord.SessionID) ([]store.TurnRecord, error) {
	return m.unended(func(t *turn) bool { return session == "" || session == t.Session }), nil
}

func (m *Memory) unended(want func(*turn) bool) (records []store.TurnRecord) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.find(func(t *turn) bool { return t.State != bellcord.StateEnded && want(t) }) {
		records = append(records, t.TurnRecord)
	}
	return records
}

// Session implements store.Reader.
func (m *Memory) Session(_ context.Context, id bellcord.SessionID) (bellcord.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, exists := m.sessions[id]
	if !exists {
		return s, bellcord.ErrNoSession
	}
	return s, nil
}

// Sessions implements store.Reader.
func (m *Memory) Sessions(_ context.Context, q store.SessionQuery) ([]bellcord.Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []bellcord.Session
	for _, s := range m.sessions {
		older := q.Before.IsZero() || newestFirst(bellcord.Session{Updated: q.Before, ID: q.BeforeID}, s) < 0
		if older && (q.Dir == "" || q.Dir == s.Dir) && (q.Owner == "" || q.Owner == s.Owner) {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, newestFirst)
	if q.Limit > 0 {
		all = all[:min(q.Limit, len(all))]
	}
	return all, nil
}

func newestFirst(a, b bellcord.Session) int {
	return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(b.ID, a.ID))
}

// Spending implements store.Reader.
func (m *Memory) Spending(_ context.Context, q store.SpendingQuery) ([]store.Spending, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []store.Spending
	for _, s := range m.spending {
		if (q.Session == "" || q.Session == s.Session) && (q.Owner == "" || q.Owner == s.owner) && !s.At.Before(q.Since) {
			all = append(all, s.Spending)
		}
	}
	slices.SortStableFunc(all, func(a, b store.Spending) int { return a.At.Compare(b.At) })
	return all, nil
}

// Receipts implements store.Reader.
func (m *Memory) Receipts(_ context.Context, q store.ReceiptQuery) ([]bellcord.Receipt, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	part := strings.ToLower(q.Turn)
	var all []bellcord.Receipt
	for id, t := range m.turns {
		name := strings.ToLower(string(id))
		if t.Receipt != nil && (q.Session == "" || q.Session == t.Session) && (q.Owner == "" || q.Owner == m.sessions[t.Session].Owner) &&
			(strings.HasPrefix(name, part) || strings.HasSuffix(name, part)) {
			all = append(all, *t.Receipt)
		}
	}
	slices.SortFunc(all, func(a, b bellcord.Receipt) int {
		return cmp.Or(m.turns[b.Turn].Accepted.Compare(m.turns[a.Turn].Accepted), cmp.Compare(b.Turn, a.Turn))
	})
	if q.Limit > 0 {
		all = all[:min(q.Limit, len(all))]
	}
	return all, nil
}
