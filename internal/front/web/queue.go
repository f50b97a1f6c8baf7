package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/api"
	"github.com/bellcord/bellcord/internal/auth"
)

func (s *Server) queueRoutes() {
	huma.Register(s.api, route(http.MethodGet, "/v1/sessions/{session}/queue", "list-queue", "The turns that wait, in order", auth.Read), s.queue)
	huma.Register(s.api, route(http.MethodPost, "/v1/sessions/{session}/queue/send", "send-queue", "Let the turns run that a stop holds back", auth.Prompt), s.sendAll)
	huma.Register(s.api, route(http.MethodPatch, "/v1/turns/{turn}", "edit-turn", "Change a prompt that waits", auth.Prompt), s.edit)
	huma.Register(s.api, route(http.MethodPost, "/v1/turns/{turn}/send", "send-turn", "Let a turn run before the others that wait", auth.Prompt), s.send)
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
	return s.queue(ctx, in)
}

func (s *Server) edit(ctx context.Context, in *struct {
	TurnPath
	Body api.EditTurn
},
) (*oneTurn, error) {
	return s.whileItWaits(ctx, in.Turn, func(id bellcord.TurnID) error { return s.Hub.Edit(id, in.Body.Text) })
}

func (s *Server) send(ctx context.Context, in *TurnPath) (*oneTurn, error) {
	return s.whileItWaits(ctx, in.Turn, s.Hub.Send)
}

// whileItWaits does something to a turn that waits here; one that has ended, or
// that another process has, does not.
func (s *Server) whileItWaits(ctx context.Context, id string, do func(bellcord.TurnID) error) (*oneTurn, error) {
	r, err := s.record(ctx, id)
	if err == nil {
		if err = do(r.ID); errors.Is(err, bellcord.ErrNoTurn) {
			err = bellcord.ErrStarted
		}
	}
	if err != nil {
		return nil, s.fail(err)
	}
	return &oneTurn{s.turn(r)}, nil
}
