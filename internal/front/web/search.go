package web

import (
	"context"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/sessionsearch"
	"github.com/bellcord/bellcord/store"
)

// searchPage is the number of sessions that a search reads at a time. Sessions are
// searched from the most recently updated one; a search that reaches its time limit,
// Config.SearchTime, returns its hits so far and where to continue.
const searchPage = 500

// searches has the operation for searches.
type searches struct {
	views
	dirs     *directories
	searcher *sessionsearch.Searcher
	time     time.Duration // limit of a search
}

func (s *searches) register(o *operations) {
	add(o, route("GET /v1/search", "search-sessions", bellcord.ScopeRead,
		"Search the titles, prompts, answers and directories of your sessions"), s.search)
}

func (s *searches) search(ctx context.Context, in *struct {
	Query string           `query:"q" maxLength:"200" doc:"words; a text matches if it contains all of them, in any order, whatever their case; required, except with a state"`
	Dir   string           `query:"dir" doc:"only sessions with this working directory"`
	State api.SessionState `query:"state" enum:"running,waiting,held,ended" doc:"only sessions with a turn in this state; ended: sessions without unended turns"`
	Limit int              `query:"limit" doc:"maximum number of sessions" default:"30" minimum:"1" maximum:"100"`

	Before string `query:"before" doc:"next_cursor of an earlier search: continues it with older sessions"`
},
) (api.Hits, error) {
	if in.Query == "" && in.State == "" {
		return api.Hits{}, badInput("the search has neither words nor a state; add q or state")
	}
	if strings.TrimSpace(in.Query) == "" && in.State == "" {
		return api.Hits{Hits: []api.Hit{}, Complete: true}, nil
	}
	query := store.SessionQuery{Owner: caller(ctx).Reach(), Dir: s.dirs.kept(ctx, in.Dir), Limit: searchPage}
	if err := startBefore(&query, in.Before); err != nil {
		return api.Hits{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, s.time)
	defer cancel()
	found, err := s.searchAll(bounded, query, in.State, in.Query, in.Limit)
	if bounded.Err() != nil && ctx.Err() == nil { // the time is over
		found.Complete, err = false, nil
	}
	return found, err
}

// searchAll returns the sessions of a query that are in a state and contain
// words. An empty state selects all sessions. After an error, the hits are those of
// the sessions before it.
func (s *searches) searchAll(
	ctx context.Context, query store.SessionQuery, state api.SessionState, words string, limit int,
) (api.Hits, error) {
	found := api.Hits{Hits: []api.Hit{}}
	states, err := s.sessionStates(ctx, state)
	for err == nil && len(found.Hits) < limit {
		var page []bellcord.Session
		if page, err = s.reader.Sessions(ctx, query); err != nil {
			break
		}
		var hits api.Hits
		searched, in := 0, states.in(page, state)
		hits, searched, err = s.searcher.Search(ctx, in, words, limit-len(found.Hits))
		found.Hits = append(found.Hits, hits.Hits...)
		switch n := len(hits.Hits); {
		case err == nil && hits.Complete && len(page) < query.Limit:
			found.Complete, found.NextCursor = true, ""
			return found, nil
		case err == nil && hits.Complete:
			last := page[len(page)-1]
			query.Before, query.BeforeID = last.Updated, last.ID
			found.NextCursor = cursorAfter(last)
		case n > 0 && len(found.Hits) == limit: // the rest of the page is not searched
			found.NextCursor = cursorAfter(hits.Hits[n-1].Session)
		case searched > 0: // the time is over
			found.NextCursor = cursorAfter(in[searched-1])
		}
	}
	return found, err
}

// sessionStates are the states of sessions with unended turns. A session can be in
// several: one with a running turn can also have held turns.
type sessionStates map[bellcord.SessionID]map[api.SessionState]bool

// sessionStates returns nil if no state is requested.
func (s *searches) sessionStates(ctx context.Context, state api.SessionState) (sessionStates, error) {
	if state == "" {
		return nil, nil
	}
	records, err := s.reader.UnendedTurns(ctx, "")
	if err != nil {
		return nil, err
	}
	states := sessionStates{}
	for _, t := range s.turns(records) {
		if states[t.Session] == nil {
			states[t.Session] = map[api.SessionState]bool{}
		}
		states[t.Session][api.StateOf(t)] = true
	}
	return states, nil
}

// in returns the sessions in a state.
func (states sessionStates) in(sessions []bellcord.Session, state api.SessionState) []bellcord.Session {
	if state == "" {
		return sessions
	}
	var in []bellcord.Session
	for _, session := range sessions {
		if now := states[session.ID]; now[state] || state == api.SessionEnded && len(now) == 0 {
			in = append(in, session)
		}
	}
	return in
}
