package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// searchSessions limits a search, in addition to Config.SearchTime. Sessions are
// searched from the most recently updated one; a search that reaches a limit
// returns its hits so far.
const searchSessions = 5000

func (s *Server) searchRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/search", "search-sessions", "Search the titles, prompts, answers and directories of your sessions", bellcord.ScopeRead), s.search)
}

func (s *Server) search(ctx context.Context, in *struct {
	Query string           `query:"q" maxLength:"200" doc:"words; a text matches if it contains all of them, in any order, whatever their case; required, except with a state"`
	Dir   string           `query:"dir" doc:"only sessions with this working directory"`
	State api.SessionState `query:"state" enum:"running,waiting,held,ended" doc:"only sessions with a turn in this state; ended: sessions without unended turns"`
	Limit int              `query:"limit" doc:"maximum number of sessions" default:"30" minimum:"1" maximum:"100"`
},
) (*struct{ Body api.Hits }, error) {
	if in.Query == "" && in.State == "" {
		return nil, s.fail(badInput("the search has neither words nor a state; add q or state"))
	}
	if strings.TrimSpace(in.Query) == "" && in.State == "" {
		return &struct{ Body api.Hits }{api.Hits{Hits: []api.Hit{}, Complete: true}}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, s.SearchTime)
	defer cancel()
	found, err := s.searchAll(bounded, bellcord.SessionQuery{Owner: caller(ctx).Reach(), Dir: in.Dir, Limit: searchSessions}, in.State, in.Query, in.Limit)
	if bounded.Err() != nil && ctx.Err() == nil { // the time is over
		found.Complete, err = false, nil
	}
	return &struct{ Body api.Hits }{found}, s.fail(err)
}

// searchAll returns the sessions of a query that are in a state and contain
// words. An empty state selects all sessions.
func (s *Server) searchAll(ctx context.Context, query bellcord.SessionQuery, state api.SessionState, words string, limit int) (api.Hits, error) {
	none := api.Hits{Hits: []api.Hit{}}
	all, err := s.Hub.Sessions(ctx, query)
	if err != nil {
		return none, err
	}
	selected, err := s.inState(ctx, all, state)
	if err != nil {
		return none, err
	}
	found, err := s.searcher.Search(ctx, selected, words, limit)
	found.Complete = found.Complete && len(all) < query.Limit
	return found, err
}

// inState returns the sessions in a state. A session can be in several: one with
// a running turn can also have held turns.
func (s *Server) inState(ctx context.Context, sessions []bellcord.Session, state api.SessionState) ([]bellcord.Session, error) {
	if state == "" {
		return sessions, nil
	}
	records, err := s.Hub.UnendedTurns(ctx, "")
	if err != nil {
		return nil, err
	}
	states := map[bellcord.SessionID]map[api.SessionState]bool{}
	for _, t := range s.turns(records) {
		if states[t.Session] == nil {
			states[t.Session] = map[api.SessionState]bool{}
		}
		states[t.Session][api.StateOf(t)] = true
	}
	var in []bellcord.Session
	for _, session := range sessions {
		if now := states[session.ID]; now[state] || state == api.SessionEnded && len(now) == 0 {
			in = append(in, session)
		}
	}
	return in, nil
}
