package backend

import (
	"context"
	"strings"
	"sync"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/client"
	"github.com/bellcord/bellcord/internal/app"
	"github.com/bellcord/bellcord/internal/front/chat"
	"github.com/bellcord/bellcord/internal/sessionsearch"
	"github.com/bellcord/bellcord/store"
)

const (
	// listedReceipts is how many of the last receipts are read for the states of
	// sessions. The last end of an older session is unknown.
	listedReceipts = 100
	// mostFound is how many sessions a search returns.
	mostFound = 50
)

// listed returns sessions with their states.
func listed(ctx context.Context, at Backend, sessions []bellcord.Session) ([]chat.Listed, error) {
	turns, err := at.Turns(ctx)
	if err != nil {
		return nil, err
	}
	receipts, err := at.Receipts(ctx, store.ReceiptQuery{Limit: listedReceipts})
	if err != nil {
		return nil, err
	}
	ends := map[bellcord.SessionID]chat.SessionState{}
	for _, r := range receipts {
		if ends[r.Session] == "" { // the last one comes first
			ends[r.Session] = chat.SessionState(r.End)
		}
	}
	all := make([]chat.Listed, len(sessions))
	for i, s := range sessions {
		all[i] = chat.Listed{Session: s, State: ends[s.ID]}
		for _, t := range turns {
			if state := liveState(t); t.Session == s.ID && rank(state) > rank(all[i].State) {
				all[i].State, all[i].Since = state, t.Accepted
			}
		}
	}
	return all, nil
}

// liveState returns the state that an unended turn gives its session.
func liveState(t api.Turn) chat.SessionState {
	if t.Held {
		return chat.SessionHeld
	}
	return chat.SessionState(t.State)
}

// rank orders the states: a session with several turns has the state that the
// user has to see first.
func rank(s chat.SessionState) int {
	switch s {
	case chat.SessionWaiting:
		return 5
	case chat.SessionStopping:
		return 4
	case chat.SessionRunning:
		return 3
	case chat.SessionQueued:
		return 2
	case chat.SessionHeld:
		return 1
	}
	return 0
}

// found returns the hits of a search for the chat. A title and a directory are in
// the list anyway.
func found(hits []api.Hit) []chat.Found {
	all := make([]chat.Found, len(hits))
	for i, h := range hits {
		all[i].Session.Session = h.Session
		if h.Where != api.InPrompt && h.Where != api.InAnswer {
			continue
		}
		var text strings.Builder
		for _, p := range h.Pieces {
			text.WriteString(p.Text)
		}
		all[i].Text = text.String()
	}
	return all
}

// localSearch searches the sessions of a data directory, one query at a time: each
// uses the texts that an earlier one has read.
type localSearch struct {
	app      *app.App
	mu       sync.Mutex
	searcher *sessionsearch.Searcher
}

func newLocalSearch(a *app.App) *localSearch {
	return &localSearch{app: a, searcher: sessionsearch.New(a.Store, sessionsearch.Options{})}
}

func (s *localSearch) search(ctx context.Context, query string) ([]chat.Found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sessions, err := s.app.Front().Sessions(ctx, store.SessionQuery{})
	if err != nil {
		return nil, err
	}
	hits, _, err := s.searcher.Search(ctx, sessions, query, mostFound)
	return found(hits.Hits), err
}

// Search implements chat.Hub.
func (c localChat) Search(ctx context.Context, query string) ([]chat.Found, error) {
	return c.search.search(ctx, query)
}

// Sessions implements chat.Hub.
func (c localChat) Sessions(ctx context.Context) ([]chat.Listed, error) {
	sessions, err := c.at.App.Front().Sessions(ctx, store.SessionQuery{})
	if err != nil {
		return nil, err
	}
	return listed(ctx, c.at, sessions)
}

// Search implements chat.Hub.
func (c remoteChat) Search(ctx context.Context, query string) ([]chat.Found, error) {
	var all []api.Hit
	for before := ""; ; { // the server ends a search after some seconds
		hits, err := c.at.Client.Search(ctx, client.SearchQuery{Words: query, Limit: mostFound - len(all), Before: before})
		all = append(all, hits.Hits...)
		if err != nil || hits.Complete || hits.NextCursor == before || len(all) >= mostFound {
			return found(all), err
		}
		before = hits.NextCursor
	}
}

// Sessions implements chat.Hub.
func (c remoteChat) Sessions(ctx context.Context) ([]chat.Listed, error) {
	first, _, err := c.at.Sessions(ctx, "")
	if err != nil {
		return nil, err
	}
	return listed(ctx, c.at, first)
}
