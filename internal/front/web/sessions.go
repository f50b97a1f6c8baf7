package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/sessionsearch"
	"github.com/bellcord/bellcord/store"
)

// SessionPath is the path parameter of a session. It is exported because huma
// fills in embedded structs only if they are exported.
type SessionPath struct {
	Session string `path:"session" doc:"id of a session"`
}

func (p SessionPath) id() string { return p.Session }

type (
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

// sessions has the operations for sessions.
type sessions struct {
	views
	hub         sessionEditor
	defaults    bellcord.Session // of a new session
	rules       rules
	dirs        *directories
	streams     *streams
	searcher    *sessionsearch.Searcher
	deleted     func(bellcord.SessionID)
	removeFiles func(bellcord.Session) error
}

func (s *sessions) register(o *operations) {
	addResponse(o, withStatus(http.StatusCreated, route("POST /v1/sessions", "create-session", bellcord.ScopePrompt,
		"Create a session")), s.make)
	add(o, route("GET /v1/sessions", "list-sessions", bellcord.ScopeRead,
		"List your sessions, most recently updated first"), s.list)
	add(o, route("GET /v1/sessions/{session}", "get-session", bellcord.ScopeRead,
		"Get a session with its turns that have not ended"), lookUp(o.session, s.get))
	add(o, route("PATCH /v1/sessions/{session}", "change-session", bellcord.ScopePrompt,
		"Change a session's title, model or mode"), s.change)
	addResponse(o, route("DELETE /v1/sessions/{session}", "delete-session", bellcord.ScopePrompt,
		"Stop a session's turns, then delete the session with all its data"), lookUp(o.session, s.delete))
	addResponse(o, route("POST /v1/sessions/{session}/clear", "clear-session", bellcord.ScopePrompt,
		"Stop a session's turns and clear its conversation"), lookUp(s.opened, s.clear))
	add(o, route("POST /v1/sessions/{session}/rewind", "rewind-session", bellcord.ScopePrompt,
		"Continue the conversation as it was before a turn; files stay as they are"), lookUp(o.session, s.rewind))
	addResponse(o, route("GET /v1/sessions/{session}/transcript", "get-transcript", bellcord.ScopeRead,
		"Get a session's transcript, as Markdown or JSON"), lookUp(o.session, s.transcript))
}

func (s *sessions) make(ctx context.Context, in *newSession) (*madeSession, error) {
	body := api.NewSession{}
	if in.Body != nil {
		body = *in.Body
	}
	made := s.defaults
	made.ID, made.Owner, made.Title = bellcord.NewSessionID(), caller(ctx).Owner, body.Title
	if in.Key != "" {
		made.ID = bellcord.SessionID(keyed(ctx, "session", in.Key))
		if had, err := s.reader.Session(ctx, made.ID); err == nil {
			return &madeSession{http.StatusOK, "/v1/sessions/" + string(had.ID), shown(ctx, had)}, nil
		} else if !errors.Is(err, bellcord.ErrNoSession) {
			return nil, err
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
		return nil, err
	}
	return &madeSession{http.StatusCreated, "/v1/sessions/" + string(made.ID), made}, nil
}

// create creates a session in a directory that the caller may use: see place.
func (s *sessions) create(ctx context.Context, made bellcord.Session, dir string) (bellcord.Session, error) {
	err := s.rules.mayChoose(ctx, made.Mode, made.Agent)
	if err == nil {
		err = s.rules.checkNames(made.Agent, made.Model)
	}
	if err == nil {
		err = checkDirs(ctx, made.AdditionalDirs)
	}
	if err == nil {
		made.Dir, err = s.dirs.place(ctx, made.ID, dir)
	}
	if err != nil {
		return made, err
	}
	if made, err = s.hub.NewSession(ctx, made); err != nil {
		return made, err
	}
	if s.dirs.mayUse(caller(ctx), made) != nil { // the directory was replaced by a link after place
		err = s.remove(ctx, made, cause(ctx, "its directory was replaced"))
		return made, errors.Join(err, badInput("dir %q: %v", dir, errNoDir))
	}
	return made, nil
}

func (s *sessions) list(ctx context.Context, in *listSessions) (api.Sessions, error) {
	query := store.SessionQuery{Owner: caller(ctx).Reach(), Dir: s.dirs.kept(ctx, in.Dir), Limit: in.Limit}
	if err := startBefore(&query, in.Before); err != nil {
		return api.Sessions{}, err
	}
	found, err := s.reader.Sessions(ctx, query)
	all := api.Sessions{Sessions: append([]bellcord.Session{}, found...)}
	if len(found) == in.Limit {
		all.NextCursor = cursorAfter(found[len(found)-1])
	}
	return all, err
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

func (s *sessions) get(ctx context.Context, found bellcord.Session, _ *SessionPath) (api.Session, error) {
	turns, err := s.line(ctx, found.ID)
	return api.Session{Session: found, Turns: turns}, err
}

// opened returns a session that is open for prompts.
func (s *sessions) opened(ctx context.Context, id string) (bellcord.Session, error) {
	found, err := s.session(ctx, id)
	if err != nil {
		return found, err
	}
	return s.hub.OpenSession(ctx, found.ID)
}

func (s *sessions) change(ctx context.Context, in *changeSession) (bellcord.Session, error) {
	if err := checkTitle(in.Body.Title); err != nil {
		return bellcord.Session{}, err
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
		found, err = s.hub.Configure(found.ID, change)
	}
	return shown(ctx, found), err
}

// errFixedAgent means that a session keeps its agent.
var errFixedAgent = errors.New("a session keeps its agent, which has its own record of the conversation: " +
	"start a new session to use another one")

// checkChange refuses a mode or directories that only an admin may choose, and
// a model that does not exist.
func (s *sessions) checkChange(ctx context.Context, found bellcord.Session, change bellcord.SessionUpdated) error {
	if change.AdditionalDirs != nil {
		if err := checkDirs(ctx, *change.AdditionalDirs); err != nil {
			return err
		}
	}
	if change.Mode != "" {
		if err := s.rules.mayChoose(ctx, change.Mode, s.rules.agent); err != nil {
			return err
		}
	}
	if change.Model == "" {
		return nil
	}
	return s.rules.checkNames(found.Agent, change.Model)
}

// shown returns the session as the caller may see it: the title requires the
// read scope.
func shown(ctx context.Context, s bellcord.Session) bellcord.Session {
	if !caller(ctx).May(bellcord.ScopeRead) {
		s.Title = ""
	}
	return s
}

func (s *sessions) delete(ctx context.Context, found bellcord.Session, in *deleteSession) (*struct{}, error) {
	err := s.remove(ctx, found, cause(ctx, "the session is deleted"))
	if err == nil && in.Files {
		err = s.removeFiles(found)
	}
	return nil, err
}

// remove stops a session's turns, in every process, and deletes the session.
func (s *sessions) remove(ctx context.Context, found bellcord.Session, why bellcord.Cause) error {
	if err := s.hub.DeleteSession(ctx, found.ID, why); err != nil {
		return err
	}
	s.streams.endOf(found.ID)
	s.searcher.Forget(found.ID)
	s.deleted(found.ID)
	return nil
}

func (s *sessions) rewind(ctx context.Context, found bellcord.Session, in *struct {
	SessionPath
	Body api.Rewind
},
) (bellcord.ConversationRewound, error) {
	if (in.Body.Turn == "") != in.Body.TakeBack {
		return bellcord.ConversationRewound{}, badInput("set either turn or take_back")
	}
	return s.hub.Rewind(ctx, found.ID, bellcord.TurnID(in.Body.Turn))
}

func (s *sessions) clear(ctx context.Context, found bellcord.Session, _ *SessionPath) (*stopped, error) {
	stopping, err := s.hub.Clear(found.ID, cause(ctx, "the session is cleared"))
	if err != nil {
		return nil, err
	}
	return await(ctx, stopping, usualWait)
}
