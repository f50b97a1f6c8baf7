package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/store"
)

// SessionPath is the path parameter of a session. It is exported because huma
// fills in embedded structs only if they are exported.
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
		Key  string `header:"Idempotency-Key" maxLength:"255" doc:"a repeated request with the same key returns the same session"`
		Body *api.NewSession
	}
	changeSession struct {
		SessionPath
		Body api.SessionChange
	}
	deleteSession struct {
		SessionPath
		Files bool `query:"files" doc:"also remove the session's workspace; a directory that was given when the session was created is kept"`
	}
	listSessions struct {
		Limit  int    `query:"limit" doc:"maximum number of sessions" default:"50" minimum:"1" maximum:"500"`
		Before string `query:"before" doc:"next_cursor of the previous page"`
		Dir    string `query:"dir" doc:"only sessions with this working directory"`
	}
)

func (s *Server) sessionRoutes() {
	make1 := route(http.MethodPost, "/v1/sessions", "create-session", "Create a session", bellcord.ScopePrompt)
	make1.DefaultStatus = http.StatusCreated
	huma.Register(s.api, make1, s.makeSession)
	huma.Register(s.api, route(http.MethodGet, "/v1/sessions", "list-sessions", "List your sessions, most recently updated first", bellcord.ScopeRead), s.listSessions)
	huma.Register(s.api, route(http.MethodGet, "/v1/sessions/{session}", "get-session", "Get a session with its turns that have not ended", bellcord.ScopeRead), s.getSession)
	huma.Register(s.api, route(http.MethodPatch, "/v1/sessions/{session}", "change-session", "Change a session's title, model or mode", bellcord.ScopePrompt), s.changeSession)
	huma.Register(s.api, route(http.MethodDelete, "/v1/sessions/{session}", "delete-session", "Stop a session's turns, then delete the session with all its data", bellcord.ScopePrompt), s.deleteSession)
	huma.Register(s.api, route(http.MethodPost, "/v1/sessions/{session}/clear", "clear-session", "Stop a session's turns and clear its conversation", bellcord.ScopePrompt), s.clearSession)
	huma.Register(s.api, route(http.MethodPost, "/v1/sessions/{session}/rewind", "rewind-session", "Continue the conversation as it was before a turn; files stay as they are", bellcord.ScopePrompt), s.rewindSession)
	huma.Register(s.api, route(http.MethodGet, "/v1/sessions/{session}/transcript", "get-transcript", "Get a session's transcript, as Markdown or JSON", bellcord.ScopeRead), s.transcript)
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
			return &madeSession{http.StatusOK, "/v1/sessions/" + string(had.ID), shown(ctx, had)}, nil
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
	err := checkTitle(body.Title)
	if err == nil {
		made, err = s.create(ctx, made, body.Dir)
	}
	if err != nil {
		return nil, s.fail(err)
	}
	return &madeSession{http.StatusCreated, "/v1/sessions/" + string(made.ID), made}, nil
}

// create creates a session in a directory that the caller may use: see place.
func (s *Server) create(ctx context.Context, made bellcord.Session, dir string) (bellcord.Session, error) {
	err := s.ceiling(ctx, made)
	if err == nil {
		err = s.checkSession(made)
	}
	if err == nil {
		err = s.checkDirs(ctx, made.AdditionalDirs)
	}
	if err == nil {
		made.Dir, err = s.place(ctx, made.ID, dir)
	}
	if err != nil {
		return made, err
	}
	if made, err = s.Hub.NewSession(ctx, made); err != nil {
		return made, err
	}
	if s.mayUse(caller(ctx), made) != nil { // the directory was replaced by a link after place
		err = s.remove(ctx, made, cause(ctx, "its directory was replaced"))
		return made, errors.Join(err, badInput("dir %q: %v", dir, errNoDir))
	}
	return made, nil
}

// ceiling refuses a mode or an agent that only an admin may choose.
func (s *Server) ceiling(ctx context.Context, made bellcord.Session) error {
	if caller(ctx).May(bellcord.ScopeAdmin) {
		return nil
	}
	if err := s.Ceiling(made.Mode, made.Agent); err != nil {
		return errCeiling{err}
	}
	return nil
}

// checkSession checks that the agent and the model exist.
func (s *Server) checkSession(made bellcord.Session) error {
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

func (s *Server) listSessions(ctx context.Context, in *listSessions) (*struct{ Body api.Sessions }, error) {
	query := store.SessionQuery{Owner: caller(ctx).Reach(), Dir: s.kept(ctx, in.Dir), Limit: in.Limit}
	if err := startBefore(&query, in.Before); err != nil {
		return nil, s.fail(err)
	}
	found, err := s.Hub.Sessions(ctx, query)
	if err != nil {
		return nil, s.fail(err)
	}
	out := &struct{ Body api.Sessions }{api.Sessions{Sessions: append([]bellcord.Session{}, found...)}}
	if len(found) == in.Limit {
		out.Body.NextCursor = cursorAfter(found[len(found)-1])
	}
	return out, nil
}

// cursorAfter returns the cursor of the sessions after one in a list.
func cursorAfter(s bellcord.Session) string { return fmt.Sprintf("%d_%s", s.Updated.UnixNano(), s.ID) }

// startBefore lets a query start at a cursor; "" is the beginning.
func startBefore(q *store.SessionQuery, cursor string) error {
	if cursor == "" {
		return nil
	}
	at, id, _ := strings.Cut(cursor, "_")
	nanos, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return badInput("before: must be the value of next_cursor from the previous page")
	}
	q.Before, q.BeforeID = time.Unix(0, nanos), bellcord.SessionID(id)
	return nil
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
	if err := checkTitle(in.Body.Title); err != nil {
		return nil, s.fail(err)
	}
	found, err := s.opened(ctx, in.Session)
	change := bellcord.SessionUpdated{Title: in.Body.Title, Model: in.Body.Model, Mode: in.Body.Mode}
	if err == nil && in.Body.Agent != nil && *in.Body.Agent != found.Agent {
		err = errFixedAgent
	}
	if err == nil {
		err = s.checkChange(ctx, found, change)
	}
	if err == nil {
		found, err = s.Hub.Configure(found.ID, change)
	}
	return &oneSession{shown(ctx, found)}, s.fail(err)
}

// errFixedAgent means that a session keeps its agent.
var errFixedAgent = errors.New("a session keeps its agent, which has its own record of the conversation: start a new session to use another one")

// checkChange refuses a mode or directories that only an admin may choose, and
// a model that does not exist.
func (s *Server) checkChange(ctx context.Context, found bellcord.Session, change bellcord.SessionUpdated) error {
	if change.AdditionalDirs != nil {
		if err := s.checkDirs(ctx, *change.AdditionalDirs); err != nil {
			return err
		}
	}
	if change.Mode != "" {
		changed := found
		changed.Mode, changed.Agent = change.Mode, s.Session.Agent // the agent does not change
		if err := s.ceiling(ctx, changed); err != nil {
			return err
		}
	}
	if change.Model == "" {
		return nil
	}
	found.Model = change.Model
	return s.checkSession(found)
}

// shown returns the session as the caller may see it: the title requires the
// read scope.
func shown(ctx context.Context, s bellcord.Session) bellcord.Session {
	if !caller(ctx).May(bellcord.ScopeRead) {
		s.Title = ""
	}
	return s
}

func (s *Server) deleteSession(ctx context.Context, in *deleteSession) (*struct{}, error) {
	found, err := s.session(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	err = s.remove(ctx, found, cause(ctx, "the session is deleted"))
	if err == nil && in.Files {
		err = s.RemoveFiles(found)
	}
	return nil, s.fail(err)
}

// remove stops a session's turns, in every process, and deletes the session.
func (s *Server) remove(ctx context.Context, found bellcord.Session, why bellcord.Cause) error {
	if err := s.Hub.DeleteSession(ctx, found.ID, why); err != nil {
		return err
	}
	s.streams.endOf(found.ID)
	s.searcher.Forget(found.ID)
	s.Deleted(found.ID)
	return nil
}

func (s *Server) rewindSession(ctx context.Context, in *struct {
	SessionPath
	Body api.Rewind
},
) (*struct {
	Body bellcord.ConversationRewound
}, error,
) {
	found, err := s.session(ctx, in.Session)
	if err != nil {
		return nil, s.fail(err)
	}
	if (in.Body.Turn == "") != in.Body.TakeBack {
		return nil, s.fail(badInput("set either turn or take_back"))
	}
	r, err := s.Hub.Rewind(ctx, found.ID, bellcord.TurnID(in.Body.Turn))
	return &struct {
		Body bellcord.ConversationRewound
	}{r}, s.fail(err)
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
