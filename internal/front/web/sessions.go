package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/api"
	"github.com/bellcord/bellcord/internal/auth"
)

// SessionPath is what the path names. It is exported because only such are
// filled in where they are embedded.
type SessionPath struct {
	Session string `path:"session" doc:"id of a session"`
}

type (
	oneSession  struct{ Body bellcord.Session }
	madeSession struct {
		Status   int
		Location string `header:"Location"`
		Body     bellcord.Session
	}
	newSession struct {
		Key  string `header:"Idempotency-Key" maxLength:"255" doc:"the same key makes the same session"`
		Body *api.NewSession
	}
	changeSession struct {
		SessionPath
		Body api.SessionChange
	}
	listSessions struct {
		Limit  int    `query:"limit" default:"50" minimum:"1" maximum:"500"`
		Before string `query:"before" doc:"next of the page before"`
		Dir    string `query:"dir"`
	}
)

func (s *Server) sessionRoutes() {
	make1 := route(http.MethodPost, "/v1/sessions", "create-session", "Make a session", auth.Prompt)
	make1.DefaultStatus = http.StatusCreated
	huma.Register(s.api, make1, s.makeSession)
	huma.Register(s.api, route(http.MethodGet, "/v1/sessions", "list-sessions", "List your sessions, the most recently updated first", auth.Read), s.listSessions)
	huma.Register(s.api, route(http.MethodGet, "/v1/sessions/{session}", "get-session", "A session, with the turns that have not ended", auth.Read), s.getSession)
	huma.Register(s.api, route(http.MethodPatch, "/v1/sessions/{session}", "change-session", "Change a session's title, model or mode", auth.Prompt), s.changeSession)
	huma.Register(s.api, route(http.MethodDelete, "/v1/sessions/{session}", "delete-session", "Stop what a session runs, then remove it with all that it has", auth.Prompt), s.deleteSession)
	huma.Register(s.api, route(http.MethodPost, "/v1/sessions/{session}/clear", "clear-session", "Stop what a session runs and start its conversation anew", auth.Prompt), s.clearSession)
	huma.Register(s.api, route(http.MethodGet, "/v1/sessions/{session}/transcript", "get-transcript", "What was said and done, as Markdown or JSON", auth.Read), s.transcript)
}

func (s *Server) makeSession(ctx context.Context, in *newSession) (*madeSession, error) {
	body := api.NewSession{}
	if in.Body != nil {
		body = *in.Body
	}
	made := s.Session
	made.ID, made.Owner, made.Title = bellcord.NewSessionID(), caller(ctx).Owner, body.Title
	if in.Key != "" {
		made.ID = bellcord.SessionID(keyed(ctx, "session", in.Key))
		if had, err := s.Hub.Session(ctx, made.ID); err == nil {
			return &madeSession{http.StatusOK, "/v1/sessions/" + string(had.ID), had}, nil
		} else if !errors.Is(err, bellcord.ErrNoSession) {
			return nil, s.fail(err)
		}
	}
	if body.Mode != "" {
		made.Mode = body.Mode
	}
	if body.Agent != "" {
		made.Agent, made.Model = body.Agent, ""
	}
	if body.Model != "" {
		made.Model = body.Model
	}
	err := s.check(made)
	if err == nil {
		made.Dir, err = s.place(ctx, made.ID, body.Dir)
	}
	if err == nil {
		made, err = s.Hub.NewSession(ctx, made)
	}
	if err != nil {
		return nil, s.fail(err)
	}
	return &madeSession{http.StatusCreated, "/v1/sessions/" + string(made.ID), made}, nil
}

// check asks whether there is such an agent and such a model.
func (s *Server) check(made bellcord.Session) error {
	if made.Agent != "" && s.CheckAgent != nil {
		if err := s.CheckAgent(made.Agent); err != nil {
			return errInput{err.Error()}
		}
	}
	if made.Agent == "" && s.CheckModel != nil {
		if err := s.CheckModel(made.Model); err != nil {
			return errInput{err.Error()}
		}
	}
	return nil
}

// place is the directory that a session works in: one of its own, or, for who
// has the machine, any.
func (s *Server) place(ctx context.Context, id bellcord.SessionID, dir string) (string, error) {
	if dir == "" {
		dir = filepath.Join(s.Workspaces, string(id))
		return dir, os.MkdirAll(dir, 0o700)
	}
	if !caller(ctx).May(auth.Admin) {
		return "", errScope{auth.Admin}
	}
	if !filepath.IsAbs(dir) {
		return "", badInput("dir %q: it has to be absolute", dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", badInput("dir %q: there is no such directory", dir)
	}
	return filepath.Clean(dir), nil
}

func (s *Server) listSessions(ctx context.Context, in *listSessions) (*struct{ Body api.Sessions }, error) {
	query := bellcord.SessionQuery{Owner: caller(ctx).Reach(), Dir: in.Dir, Limit: in.Limit}
	if in.Before != "" {
		at, id, _ := strings.Cut(in.Before, "_")
		nanos, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return nil, s.fail(badInput("before: give it as the page before had it"))
		}
		query.Before, query.BeforeID = time.Unix(0, nanos), bellcord.SessionID(id)
	}
	found, err := s.Hub.Sessions(ctx, query)
	if err != nil {
		return nil, s.fail(err)
	}
	out := &struct{ Body api.Sessions }{api.Sessions{Sessions: append([]bellcord.Session{}, found...)}}
	if len(found) == in.Limit {
		last := found[len(found)-1]
		out.Body.Next = fmt.Sprintf("%d_%s", last.Updated.UnixNano(), last.ID)
	}
	return out, nil
}

func (s *Server) getSession(ctx context.Context, in *SessionPath) (*struct{ Body api.Session }, error) {
	found, err := s.session(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	turns, err := s.line(ctx, found.ID)
	return &struct{ Body api.Session }{api.Session{Session: found, Turns: turns}}, s.fail(err)
}

func (s *Server) changeSession(ctx context.Context, in *changeSession) (*oneSession, error) {
	found, err := s.opened(ctx, in.Session)
	if err == nil && in.Body.Model != "" {
		found.Model = in.Body.Model
		err = s.check(found)
	}
	if err == nil {
		found, err = s.Hub.Configure(found.ID, bellcord.Configured{Title: in.Body.Title, Model: in.Body.Model, Mode: in.Body.Mode})
	}
	return &oneSession{found}, s.fail(err)
}

func (s *Server) deleteSession(ctx context.Context, in *SessionPath) (*struct{}, error) {
	found, err := s.session(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	why := cause(ctx, "the session is deleted")
	_, err = s.Hub.Stop(bellcord.StopRequest{Session: found.ID, Cause: why, Queue: bellcord.Drop, Everywhere: true}).Wait(ctx)
	if err == nil {
		err = s.Hub.DeleteSession(ctx, found.ID, why)
	}
	if err == nil {
		s.streams.endOf(found.ID)
		s.Deleted(found.ID)
	}
	return nil, s.fail(err)
}

func (s *Server) clearSession(ctx context.Context, in *SessionPath) (*stopped, error) {
	found, err := s.opened(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	stopping, err := s.Hub.Clear(found.ID, cause(ctx, "the session is cleared"))
	if err != nil {
		return nil, s.fail(err)
	}
	return s.await(ctx, stopping, usualWait)
}
