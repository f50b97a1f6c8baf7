package web

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
)

// Limits of a search, in addition to Config.SearchTime. Sessions are searched
// from the most recently updated one; a search that reaches a limit returns its
// hits so far.
const (
	searchSessions = 5000
	searchEvents   = 20_000 // the last ones of a session
)

// Sessions are read in groups, several sessions of a group at a time.
const (
	searchGroup   = 32
	searchReaders = 4
)

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
	words := newPhrase(in.Query)
	found := api.Hits{Hits: []api.Hit{}, Complete: true}
	if words.empty() && in.State == "" {
		return &struct{ Body api.Hits }{found}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, s.SearchTime)
	defer cancel()
	query := bellcord.SessionQuery{Owner: caller(ctx).Reach(), Dir: in.Dir, Limit: searchSessions}
	err := s.searchAll(bounded, query, sought{words, in.State, in.Limit}, &found)
	if bounded.Err() != nil && ctx.Err() == nil { // the time is over
		found.Complete, err = false, nil
	}
	if len(found.Hits) > in.Limit { // those of a group
		found.Hits, found.Complete = found.Hits[:in.Limit], false
	}
	return &struct{ Body api.Hits }{found}, s.fail(err)
}

// sought is what a search looks for. An empty state selects all sessions.
type sought struct {
	words phrase
	state api.SessionState
	limit int
}

// searchAll adds the sessions that match to found, up to the limit.
func (s *Server) searchAll(ctx context.Context, query bellcord.SessionQuery, what sought, found *api.Hits) error {
	sessions, err := s.Hub.Sessions(ctx, query)
	if err != nil {
		return err
	}
	found.Complete = len(sessions) < query.Limit
	if sessions, err = s.inState(ctx, sessions, what.state); err != nil {
		return err
	}
	tails, err := s.tails(ctx, sessions)
	if err != nil {
		return err
	}
	for len(sessions) > 0 {
		n := min(searchGroup, len(sessions))
		if err := s.searchGroup(ctx, sessions[:n], tails[:n], what, found); err != nil {
			return err
		}
		sessions, tails = sessions[n:], tails[n:]
		if len(found.Hits) >= what.limit {
			found.Complete = found.Complete && len(sessions) == 0
			break
		}
	}
	return nil
}

// tails returns the last sequence numbers of sessions, and removes texts that
// are no longer needed.
func (s *Server) tails(ctx context.Context, sessions []bellcord.Session) ([]int64, error) {
	if s.texts == nil {
		return make([]int64, len(sessions)), nil
	}
	s.texts.prune()
	ids := make([]bellcord.SessionID, len(sessions))
	for i, session := range sessions {
		ids[i] = session.ID
	}
	return s.Texts.Tails(ctx, ids)
}

// searchGroup adds the sessions of a group that match to found, in their order.
// The sessions are searched in parallel. After an error it adds the hits of the
// sessions before the one with the error.
func (s *Server) searchGroup(ctx context.Context, sessions []bellcord.Session, tails []int64, what sought, found *api.Hits) error {
	results := make([]struct {
		hit     api.Hit
		matches bool
		err     error
	}, len(sessions))
	var readers sync.WaitGroup
	for first := range searchReaders {
		readers.Go(func() {
			for i := first; i < len(sessions); i += searchReaders {
				r := &results[i]
				r.hit, r.matches, r.err = s.searchSession(ctx, sessions[i], tails[i], what.words)
			}
		})
	}
	readers.Wait()
	for _, r := range results {
		if r.err != nil {
			return r.err
		}
		if r.matches {
			found.Hits = append(found.Hits, r.hit)
		}
	}
	return nil
}

// searchSession returns the first match in a session: in its title, its prompts
// and answers, or its directory. Without words every session matches.
func (s *Server) searchSession(ctx context.Context, session bellcord.Session, tail int64, words phrase) (api.Hit, bool, error) {
	hit := api.Hit{Session: session, Where: api.InTitle}
	if words.empty() {
		hit.Pieces = []api.Piece{{Text: session.Title}}
		return hit, true, nil
	}
	if words.in(session.Title) {
		hit.Pieces = words.mark(session.Title)
		return hit, true, nil
	}
	messages, err := s.messages(ctx, session.ID, tail)
	if err != nil {
		return hit, false, err
	}
	for _, m := range messages {
		if words.in(m.text) {
			hit.Where, hit.Turn, hit.Pieces = m.where, m.turn, words.mark(m.text)
			return hit, true, nil
		}
	}
	if words.in(session.Dir) && !contains(s.Workspaces, session.Dir) {
		hit.Where, hit.Pieces = api.InDir, words.mark(session.Dir)
		return hit, true, nil
	}
	return hit, false, nil
}

// messages returns the prompts and answers of a session. A session that was
// deleted in the meantime, and one that is damaged, has none.
func (s *Server) messages(ctx context.Context, id bellcord.SessionID, tail int64) ([]message, error) {
	if s.texts == nil {
		return nil, nil
	}
	messages, err := s.texts.messages(ctx, id, tail)
	if errors.Is(err, bellcord.ErrDamaged) {
		s.Logger.Warn("session was not searched", "session", id, "err", err)
		return nil, nil
	}
	return messages, err
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
		states[t.Session][sessionState(t)] = true
	}
	var in []bellcord.Session
	for _, session := range sessions {
		if now := states[session.ID]; now[state] || state == api.SessionEnded && len(now) == 0 {
			in = append(in, session)
		}
	}
	return in, nil
}

// sessionState returns the state that an unended turn gives its session. A
// queued turn that is not held runs by itself, and so does a stopping one until
// it has ended.
func sessionState(t api.Turn) api.SessionState {
	switch {
	case t.State == api.Waiting:
		return api.SessionWaiting
	case t.Held:
		return api.SessionHeld
	}
	return api.SessionRunning
}
