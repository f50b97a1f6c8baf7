package acp

import (
	"context"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/store"
)

// recordedSessions contains the agent's sessions of the most recent Bellcord
// sessions, so that a list does not show a conversation twice.
type recordedSessions struct {
	mu   sync.Mutex
	seen map[bellcord.SessionID]recordedSession
	own  map[string]bool
	read time.Time
}

type recordedSession struct {
	updated time.Time
	own     string
}

// Bounds of recordedSessions: the number of sessions that are compared, and how
// long the result is used.
const (
	mostRecorded = 200
	recordedFor  = 2 * time.Second
)

// has reports whether one of Bellcord's sessions uses the agent's session own.
func (r *recordedSessions) has(ctx context.Context, hub *hub.Hub, agent, own string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.read) > recordedFor {
		r.readSessions(ctx, hub, agent)
	}
	return r.own[own]
}

// readSessions reads which of the agent's sessions are in use. A session that
// did not change since the last time is not read again.
func (r *recordedSessions) readSessions(ctx context.Context, hub *hub.Hub, agent string) {
	found, err := hub.Sessions(ctx, store.SessionQuery{Limit: mostRecorded})
	if err != nil {
		return
	}
	now := map[bellcord.SessionID]recordedSession{}
	r.own = map[string]bool{}
	for _, v := range found {
		if v.Agent != agent {
			continue
		}
		before, known := r.seen[v.ID]
		if !known || !before.updated.Equal(v.Updated) {
			opened, err := hub.AgentSession(ctx, v.ID)
			if err != nil {
				continue
			}
			before = recordedSession{v.Updated, opened.AgentSession}
		}
		now[v.ID] = before
		r.own[before.own] = true
	}
	r.seen, r.read = now, time.Now()
}
