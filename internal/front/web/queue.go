package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

func (s *Server) queueRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/sessions/{session}/queue", "list-queue", "List the queued turns of a session, in order", bellcord.ScopeRead), s.queue)
	huma.Register(s.api, route(http.MethodPost, "/v1/sessions/{session}/queue/send", "send-queue", "Release the turns that a stop holds", bellcord.ScopePrompt), s.sendAll)
	huma.Register(s.api, route(http.MethodPatch, "/v1/turns/{turn}", "edit-turn", "Change the text of a queued turn", bellcord.ScopePrompt), s.edit)
	huma.Register(s.api, route(http.MethodPost, "/v1/turns/{turn}/send", "send-turn", "Run a queued turn before the other queued turns", bellcord.ScopePrompt), s.sendHeld)
}

func (s *Server) queue(ctx context.Context, in *SessionPath) (*struct{ Body api.Turns }, error) {
	found, err := s.session(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	line, err := s.line(ctx, found.ID)
	if err != nil {
		return nil, s.fail(err)
	}
	waits := []api.Turn{}
	for _, t := range line {
		if t.State == api.Queued {
			waits = append(waits, t)
		}
	}
	return &struct{ Body api.Turns }{api.Turns{Turns: waits}}, nil
}

func (s *Server) sendAll(ctx context.Context, in *SessionPath) (*struct{ Body api.Turns }, error) {
	found, err := s.session(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	s.Hub.Release(found.ID)
	if !caller(ctx).May(bellcord.ScopeRead) {
		return &struct{ Body api.Turns }{api.Turns{Turns: []api.Turn{}}}, nil
	}
	return s.queue(ctx, in)
}

func (s *Server) edit(ctx context.Context, in *struct {
	TurnPath
	Body api.EditTurn
},
) (*oneTurn, error) {
	return s.whileItWaits(ctx, in.Turn, func(r store.TurnRecord) error {
		session, err := s.Hub.Session(ctx, r.Session)
		if err != nil {
			return err
		}
		text, err := taskText(r.Prompt.Task, in.Body.Text, session)
		if err != nil {
			return err
		}
		if err = s.Hub.Edit(r.ID, text); errors.Is(err, bellcord.ErrNoTurn) && r.Prompt.Text == text {
			return nil // sent again after the turn has ended
		}
		return err
	})
}

func (s *Server) sendHeld(ctx context.Context, in *TurnPath) (*oneTurn, error) {
	return s.whileItWaits(ctx, in.Turn, func(r store.TurnRecord) error { return s.Hub.Send(r.ID) })
}

// whileItWaits applies do to a turn that is queued in this process. It returns
// ErrStarted for a turn that has ended or that another process has.
func (s *Server) whileItWaits(ctx context.Context, id string, do func(store.TurnRecord) error) (*oneTurn, error) {
	r, err := s.record(ctx, id)
	if err == nil {
		if err = do(r); errors.Is(err, bellcord.ErrNoTurn) {
			err = bellcord.ErrStarted
		}
	}
	if err != nil {
		return nil, s.fail(err)
	}
	return &oneTurn{s.outline(ctx, r)}, nil
}
