// Package web is the front for programs and browsers: sessions over HTTP, what
// happens in them as server-sent events, and a stop from anywhere.
//
// Every request is for a host that is ours, from an origin that is ours, and by
// somebody: a request that is none of that is refused before it is looked at.
// A person sees and stops what they own; what is somebody else's is not there.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
)

// Config is what a server needs to know.
type Config struct {
	Version string
	URL     func() string // where people find the page
	Hub     Hub
	Door    *auth.Door
	Hosts   []string // a request may be for, as in "localhost:8080"; the port may be missing
	Origins []string // other than our own that may ask, as in "https://example.com"
	// BehindProxy believes the last X-Forwarded-For about where a request is from.
	BehindProxy bool
	// Secure means that browsers reach the server over TLS and must use nothing else.
	Secure bool
	// CheckPeer says why the process at the other end of a connection to the local
	// socket may not use it; nil accepts every process.
	CheckPeer func(net.Conn) error

	Session    bellcord.Session // what a new one has that does not say otherwise
	Prompt     bellcord.Prompt  // the limits of a turn
	Workspaces string           // where sessions that name no directory get one
	CheckModel func(name string) error
	CheckAgent func(name string) error
	// Ceiling says why a caller without the scope admin may not have a session with
	// a mode and an agent; nil sets no limit.
	Ceiling func(mode, agent string) error
	Models  func() []api.Model
	Agents  func() []api.Agent
	Deleted func(bellcord.SessionID) // ends and removes what else a deleted session has
	// RemoveFiles removes the workspace of a deleted session, where it is one of
	// the server's own.
	RemoveFiles func(bellcord.Session) error
	Nodes       func(context.Context) ([]api.Node, error)

	MostViewers *Bounds     // nil: no limit
	MemoryFull  func() bool // whether there is no memory for more work; nil: as the Go runtime has it

	Metrics http.Handler
	Viewers func(delta int) // more or fewer watch
	// Elsewhere says whether a session may have viewers at other nodes; nil where
	// there are none.
	Elsewhere func(bellcord.SessionID) bool
	// Leaving returns why this server ends by itself, nil where it does not; nil
	// where it never does.
	Leaving func() error
	Logger  *slog.Logger
	// Hide returns a text without secrets; it is applied to every problem's detail.
	// nil leaves texts as they are.
	Hide func(string) string

	Heartbeat time.Duration // between signs of life on a silent stream (15 s)
	Retry     time.Duration // after which a browser that lost its stream comes back (1 s)
	BodyTime  time.Duration // for a request's body to come (30 s)
	Patience  time.Duration // for a viewer that does not read, and before nobody watching stops a turn that chose so (10 s)
}

// Server answers requests.
type Server struct {
	Config
	mux     *http.ServeMux
	api     huma.API
	watched watched
	end     func() // ends what outlives requests
	streams streams

	inFlight inFlight
	viewers  crowd
}

// New readies a server; Handler and Socket are its two doors.
func New(c Config) *Server {
	if c.Heartbeat == 0 {
		c.Heartbeat = 15 * time.Second
	}
	if c.Retry == 0 {
		c.Retry = time.Second
	}
	if c.Patience == 0 {
		c.Patience = 10 * time.Second
	}
	if c.Viewers == nil {
		c.Viewers = func(int) {}
	}
	if c.Elsewhere == nil {
		c.Elsewhere = func(bellcord.SessionID) bool { return false }
	}
	if c.Leaving == nil {
		c.Leaving = func() error { return nil }
	}
	if c.URL == nil {
		c.URL = func() string { return "" }
	}
	if c.Nodes == nil {
		c.Nodes = func(context.Context) ([]api.Node, error) { return nil, nil }
	}
	if c.Ceiling == nil {
		c.Ceiling = func(string, string) error { return nil }
	}
	if c.CheckPeer == nil {
		c.CheckPeer = func(net.Conn) error { return nil }
	}
	if c.RemoveFiles == nil {
		c.RemoveFiles = func(bellcord.Session) error { return nil }
	}
	if c.Deleted == nil {
		c.Deleted = func(bellcord.SessionID) {}
	}
	if c.BodyTime == 0 {
		c.BodyTime = 30 * time.Second
	}
	if c.MemoryFull == nil {
		c.MemoryFull = memoryFull
	}
	if c.MostViewers == nil {
		c.MostViewers = &Bounds{-1, -1}
	}
	if c.Hide == nil {
		c.Hide = func(text string) string { return text }
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	boundErrors()
	s := &Server{Config: c, mux: http.NewServeMux()}
	life, end := context.WithCancel(context.Background())
	s.end = end
	s.watched = watched{hub: c.Hub, closed: life.Done(), elsewhere: c.Elsewhere, patience: c.Patience, sessions: map[bellcord.SessionID]*watchers{}}
	s.inFlight.most = mostInFlight()
	s.viewers.most = *c.MostViewers
	s.api = humago.New(s.mux, description(c.Version))
	s.api.UseMiddleware(s.checkScope, s.limitLogins, s.readBody)
	s.sessionRoutes()
	s.turnRoutes()
	s.stopRoutes()
	s.questionRoutes()
	s.queueRoutes()
	s.listRoutes()
	s.loginRoutes()
	s.eventRoutes()
	s.healthRoutes()
	return s
}

// Close ends the streams, so that a server can shut down; their viewers come
// back to whoever serves next.
func (s *Server) Close() {
	s.streams.closeAll()
	s.end()
}

// description is what the OpenAPI document says of the whole.
func description(version string) huma.Config {
	c := huma.DefaultConfig("Bellcord", version)
	c.Info.Description = "An agent runtime in which stop means stopped. Costs are in billionths of a US dollar. Durations that are numbers are in nanoseconds, unless stated otherwise."
	c.CreateHooks = nil // no $schema in answers
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "/v1/openapi", "", ""
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token":  {Type: "http", Scheme: "bearer", Description: "a token from bellcord token create, or a JWT from an issuer that the server trusts"},
		"cookie": {Type: "apiKey", In: "cookie", Name: auth.CookieName, Description: "set by POST /v1/login; accepted only together with the page secret"},
		"page":   {Type: "apiKey", In: "header", Name: auth.PageHeader, Description: "the page secret, from the response to POST /v1/login"},
	}
	c.Security = []map[string][]string{{"token": {}}, {"cookie": {}, "page": {}}}
	return c
}

// schemaName tells the API's bodies from the core's words of the same name.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if t.PkgPath() == reflect.TypeFor[api.Session]().PkgPath() && (name == "Session" || name == "Usage") {
		return name + "Report"
	}
	return name
}

// route describes an operation. Its body is read by readBody, within MaxBodyBytes.
func route(method, path, id, summary string, scope bellcord.Scope) huma.Operation {
	return huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary,
		Metadata:        map[string]any{"scope": scope},
		Extensions:      map[string]any{"x-scope": string(scope)},
		BodyReadTimeout: -1, MaxBodyBytes: mostBody,
	}
}

// checkScope refuses a caller that lacks the operation's scope, or asks too often.
func (s *Server) checkScope(ctx huma.Context, next func(huma.Context)) {
	scope, _ := ctx.Operation().Metadata["scope"].(bellcord.Scope)
	if scope == "" {
		next(ctx)
		return
	}
	caller, known := auth.From(ctx.Context())
	var err error
	if caller.Local {
		r, _ := humago.Unwrap(ctx)
		if r, err = s.identified(r, scope); err == nil {
			ctx = huma.WithContext(ctx, r.Context())
			caller, _ = auth.From(ctx.Context())
		}
	}
	switch {
	case err != nil || caller.Local:
	case !known:
		err = auth.ErrNoCredentials
	case caller.Unsure != nil && scope != bellcord.ScopeStop:
		err = fmt.Errorf("%w: %w", bellcord.ErrStoreDown, caller.Unsure)
	case !caller.May(scope):
		err = errScope{scope}
	case scope != bellcord.ScopeStop: // a stop never waits its turn
		err = s.Door.Allow(caller)
	}
	if err == nil {
		next(ctx)
		return
	}
	r, w := humago.Unwrap(ctx)
	s.writeProblem(w, r, err)
}

// caller is who asks; the guard has made sure that somebody does.
func caller(ctx context.Context) auth.Caller {
	c, _ := auth.From(ctx)
	return c
}

// cause is a stop by the caller.
func cause(ctx context.Context, why string) bellcord.Cause {
	return bellcord.Cause{Kind: bellcord.CausePerson, By: caller(ctx).Owner, Source: from(ctx), Reason: why}
}

// errClosing means that no turn is accepted any more.
var errClosing = errors.New("the server is shutting down")
