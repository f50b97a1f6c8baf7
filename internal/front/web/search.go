package web

import (
	"context"
	"errors"
	"net/http"
	"strings"

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

func (s *Server) searchRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/search", "search-sessions", "Search the titles, prompts, answers and directories of your sessions", bellcord.ScopeRead), s.search)
}

func (s *Server) search(ctx context.Context, in *struct {
	Query string `query:"q" required:"true" minLength:"1" maxLength:"200" doc:"words; a text matches if it contains all of them, in any order, whatever their case"`
	Dir   string `query:"dir" doc:"only sessions with this working directory"`
	Limit int    `query:"limit" doc:"maximum number of sessions" default:"30" minimum:"1" maximum:"100"`
},
) (*struct{ Body api.Hits }, error) {
	words := newPhrase(in.Query)
	found := api.Hits{Hits: []api.Hit{}, Complete: true}
	if words.empty() {
		return &struct{ Body api.Hits }{found}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, s.SearchTime)
	defer cancel()
	err := s.searchAll(bounded, bellcord.SessionQuery{Owner: caller(ctx).Reach(), Dir: in.Dir, Limit: searchSessions}, words, in.Limit, &found)
	if bounded.Err() != nil && ctx.Err() == nil { // the time is over
		found.Complete, err = false, nil
	}
	return &struct{ Body api.Hits }{found}, s.fail(err)
}

// searchAll adds the sessions that match to found, up to the limit.
func (s *Server) searchAll(ctx context.Context, query bellcord.SessionQuery, words phrase, limit int, found *api.Hits) error {
	sessions, err := s.Hub.Sessions(ctx, query)
	if err != nil {
		return err
	}
	found.Complete = len(sessions) < query.Limit
	for _, session := range sessions {
		if len(found.Hits) == limit {
			found.Complete = false
			break
		}
		hit, matches, err := s.searchSession(ctx, session, words)
		if err != nil {
			return err
		}
		if matches {
			found.Hits = append(found.Hits, hit)
		}
	}
	return nil
}

// searchSession returns the first match in a session: in its title, its prompts
// and answers, or its directory.
func (s *Server) searchSession(ctx context.Context, session bellcord.Session, words phrase) (api.Hit, bool, error) {
	hit := api.Hit{Session: session, Where: api.InTitle}
	if words.in(session.Title) {
		hit.Pieces = words.mark(session.Title)
		return hit, true, nil
	}
	messages, err := s.messages(ctx, session.ID)
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

// message is a prompt or an answer.
type message struct {
	turn  bellcord.TurnID
	where api.Where
	text  string
}

// messages returns the prompts and answers of a session. A session that was
// deleted in the meantime, and one that is damaged, has none.
func (s *Server) messages(ctx context.Context, id bellcord.SessionID) ([]message, error) {
	if s.Texts == nil {
		return nil, nil
	}
	events, err := s.Texts.TextEvents(ctx, id, searchEvents)
	if errors.Is(err, bellcord.ErrDamaged) {
		s.Logger.Warn("session was not searched", "session", id, "err", err)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return joined(events), nil
}

// joined joins the fragments of each turn's answer, so that a word can be in
// two of them. An answer has the position of its first fragment.
func joined(events []bellcord.Event) []message {
	var all []message
	answers, places := map[bellcord.TurnID]*strings.Builder{}, map[bellcord.TurnID]int{}
	for _, ev := range events {
		prompt := ""
		switch body := ev.Body.(type) {
		case bellcord.TurnAccepted:
			prompt = body.Text
		case bellcord.PromptEdited:
			prompt = body.Text
		case bellcord.MessageImported:
			prompt = body.Text
		case bellcord.TextDelta:
			if answers[ev.Turn] == nil {
				answers[ev.Turn], places[ev.Turn] = &strings.Builder{}, len(all)
				all = append(all, message{turn: ev.Turn, where: api.InAnswer})
			}
			_, _ = answers[ev.Turn].WriteString(body.Text)
		}
		if prompt != "" {
			all = append(all, message{ev.Turn, api.InPrompt, prompt})
		}
	}
	for turn, answer := range answers {
		all[places[turn]].text = answer.String()
	}
	return all
}
