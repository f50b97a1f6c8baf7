// Package memory is a store.Store that keeps everything in maps. It shows what a store must do:
// read the facts about an op's turn, let package lifecycle decide, and apply the decision. It
// passes storetest, except for the checks that need a store which other processes can reach.
package memory

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// Memory is the storage that nodes share.
type Memory struct {
	mu       sync.Mutex      // protects all fields; a commit holds it from its first op to its last
	nodes    map[string]bool // by id: whether the node is alive
	sessions map[bellcord.SessionID]bellcord.Session
	events   map[bellcord.SessionID][]bellcord.Event
	turns    map[bellcord.TurnID]*turn
	early    map[earlyKey]bellcord.Cause // stops that arrived before their turns
	spending []spending
}

// turn is a turn's record and the fields that only the store uses.
type turn struct {
	store.TurnRecord
	claimed   int64  // time of the claim
	applied   int64  // number of the last append
	taken     bool   // from a dead node
	stoppedBy *int64 // time of the stop that ended it
}

type earlyKey struct {
	turn  bellcord.TurnID
	owner string
}

type spending struct {
	store.Spending
	owner string
}

// New returns an empty Memory.
func New() *Memory {
	return &Memory{
		nodes:    map[string]bool{},
		sessions: map[bellcord.SessionID]bellcord.Session{},
		events:   map[bellcord.SessionID][]bellcord.Event{},
		turns:    map[bellcord.TurnID]*turn{},
		early:    map[earlyKey]bellcord.Cause{},
	}
}

// find returns the matching turns, in the order they were accepted.
func (m *Memory) find(want func(*turn) bool) []*turn {
	var all []*turn
	for _, t := range m.turns {
		if want(t) {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b *turn) int { return a.Accepted.Compare(b.Accepted) })
	return all
}

// earlyStop returns the stop that arrived before its turn, unless it has expired.
func (m *Memory) earlyStop(id bellcord.TurnID, owner string, now time.Time) *bellcord.Cause {
	maps.DeleteFunc(m.early, func(_ earlyKey, c bellcord.Cause) bool { return now.Sub(c.At) >= store.EarlyStopLifetime })
	if cause, kept := m.early[earlyKey{id, owner}]; kept {
		return &cause
	}
	return nil
}

// keepEarly keeps a stop for a turn that has not arrived, and removes the owner's oldest one if there
// are too many.
func (m *Memory) keepEarly(key earlyKey, stop bellcord.Cause) {
	m.early[key] = stop
	count, oldest := 0, key
	for k, c := range m.early {
		if k.owner != key.owner {
			continue
		}
		if count++; c.At.Before(m.early[oldest].At) {
			oldest = k
		}
	}
	if count > store.MaxEarlyStops {
		delete(m.early, oldest)
	}
}

// touch moves a session to the top of the list.
func (m *Memory) touch(id bellcord.SessionID, at time.Time) {
	if s := m.sessions[id]; at.After(s.Updated) {
		s.Updated = at
		m.sessions[id] = s
	}
}

func (m *Memory) putSession(op store.PutSession) store.Result {
	s := op.Session
	old, exists := m.sessions[s.ID]
	switch {
	case exists:
		s.Created, s.Owner = old.Created, old.Owner
	case op.Existing:
		return store.Result{Err: bellcord.ErrNoSession}
	}
	if op.Existing {
		s = keepUnchanged(s, op.Was, old)
	}
	m.sessions[s.ID] = s
	m.touch(s.ID, old.Updated)
	return store.Result{}
}

// keepUnchanged returns the session with the stored value of each setting that the update does not
// change.
func keepUnchanged(s, was, stored bellcord.Session) bellcord.Session {
	keep(&s.Dir, was.Dir, stored.Dir)
	keep(&s.Title, was.Title, stored.Title)
	keep(&s.AutoTitle, was.AutoTitle, stored.AutoTitle)
	keep(&s.Agent, was.Agent, stored.Agent)
	keep(&s.Model, was.Model, stored.Model)
	keep(&s.Mode, was.Mode, stored.Mode)
	keep(&s.Effort, was.Effort, stored.Effort)
	if slices.Equal(s.AdditionalDirs, was.AdditionalDirs) {
		s.AdditionalDirs = stored.AdditionalDirs
	}
	return s
}

func keep[T comparable](value *T, was, stored T) {
	if *value == was {
		*value = stored
	}
}

func (m *Memory) deleteSession(id bellcord.SessionID) store.Result {
	delete(m.sessions, id)
	delete(m.events, id)
	maps.DeleteFunc(m.turns, func(_ bellcord.TurnID, t *turn) bool { return t.Session == id })
	return store.Result{}
}
