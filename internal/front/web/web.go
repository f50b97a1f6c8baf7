// Package web serves the HTTP API and the web page: sessions, their events as
// server-sent events, and stops.
//
// A request is refused before it is processed unless its Host and Origin
// headers are accepted and its credentials are valid. Unless it is an admin, a
// caller reaches only the sessions of its owner; the sessions of other owners
// are reported as not found.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/auth"
	"github.com/bellcord/bellcord/internal/push"
	"github.com/bellcord/bellcord/internal/serverstore"
	"github.com/bellcord/bellcord/internal/sessionsearch"
)

// Config configures a Server.
type Config struct {
	Version string
	URL     func() string // URL of the page for people
	Hub     Hub
	Door    *auth.Door
	Hosts   []string // accepted Host headers, such as "localhost:8080"; without a port, every port is accepted
	Origins []string // other accepted origins, such as "https://example.com"
	// BehindProxy takes the client's address from the last X-Forwarded-For
	// value.
	BehindProxy bool
	// Secure means that browsers must use TLS.
	Secure bool
	// CheckPeer returns an error if the process at the other end of a
	// connection to the local socket may not use it; nil accepts every process.
	CheckPeer func(net.Conn) error

	Session    bellcord.Session // defaults of a new session
	Prompt     bellcord.Prompt  // limits of a turn
	Workspaces string           // parent directory of new workspaces
	// Roots returns the directories in which an owner may work without the
	// scope admin; nil means none. An admin may work anywhere.
	Roots func(owner string) []string
	// MachineOwner owns the sessions of the terminals and editors on this machine.
	// Their directories may be anywhere.
	MachineOwner string
	// Private lists directories with the server's own files, which are outside
	// of every root.
	Private    []string
	CheckModel func(name string) error
	CheckAgent func(name string) error
	// Ceiling returns an error if only an admin may have a session with the
	// mode and the agent; nil means no limit.
	Ceiling func(mode, agent string) error
	Models  func() []api.Model
	Agents  func() []api.Agent
	// AgentOptions has the settings of hosted agents; nil means that they
	// cannot be changed.
	AgentOptions AgentOptions
	Deleted      func(bellcord.SessionID) // ends and removes other resources of a deleted session
	// RemoveFiles removes the workspace of a deleted session if the server
	// created it.
	RemoveFiles func(bellcord.Session) error
	Nodes       func(context.Context) ([]api.Node, error)
	Files       Files // the changes of turns; nil means that they are not recorded

	MostViewers *Bounds     // nil means no limit
	MemoryFull  func() bool // reports whether memory is too low for more work; nil means check the Go memory limit
	// Reclaim empties caches while the memory is full, and returns the number
	// of freed bytes; nil means that no cache exists.
	Reclaim func() int64

	Texts sessionsearch.TextReader // prompts and answers for searches; nil means that only titles and directories are searched

	Shares serverstore.ShareStore // nil means that sessions cannot be shared
	Push   *push.Notifier         // nil means that browsers cannot subscribe to push messages

	Metrics http.Handler
	Viewers func(delta int) // called with 1 or -1 when an event stream starts or ends
	// Elsewhere reports whether a session may have viewers at other nodes; nil
	// means it never has.
	Elsewhere func(bellcord.SessionID) bool
	// Leaving returns the reason why this server shuts down by itself, or nil
	// if it does not. A nil function means that it never does.
	Leaving func() error
	Logger  *slog.Logger
	// Hide removes secrets from a text; it is applied to the details of error
	// responses, except those of schema validation. nil leaves texts unchanged.
	Hide func(string) string

	Heartbeat  time.Duration // interval of heartbeats on an idle stream (15 s)
	Retry      time.Duration // delay before a browser reconnects to a stream (1 s)
	SearchTime time.Duration // time limit of a search (3 s)
	BodyTime   time.Duration // time limit for reading a request body (30 s)
	Patience   time.Duration // time limit for a write to a viewer, and delay before a StopOnDisconnect turn without viewers is stopped (10 s)
}

// Server implements the HTTP API. Handler serves the network, Socket the local
// socket.
type Server struct {
	Config
	mux     *http.ServeMux
	api     huma.API
	watched watched
	end     func() // ends background work
	streams streams

	inFlight inFlight
	viewers  crowd
	memory   memoryGate
	probing  storeProbe
	searcher *sessionsearch.Searcher

	realRoots sync.Map // paths without symbolic links of directories of the settings
}

// New returns a server with defaults for unset fields of c. Serve its Handler
// and Socket.
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
	if c.Files == nil {
		c.Files = noFiles{}
	}
	if c.Ceiling == nil {
		c.Ceiling = func(string, string) error { return nil }
	}
	if c.Roots == nil {
		c.Roots = func(string) []string { return nil }
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
	if c.SearchTime == 0 {
		c.SearchTime = 3 * time.Second
	}
	if c.BodyTime == 0 {
		c.BodyTime = 30 * time.Second
	}
	if c.MemoryFull == nil {
		c.MemoryFull = memoryFull
	}
	if c.Reclaim == nil {
		c.Reclaim = func() int64 { return 0 }
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
	ownDir := func(session bellcord.Session) bool { return contains(c.Workspaces, session.Dir) }
	s.searcher = sessionsearch.New(c.Texts, sessionsearch.Options{OwnDir: ownDir, Logger: c.Logger})
	s.inFlight.most = mostInFlight()
	s.viewers.most = *c.MostViewers
	s.api = humago.New(s.mux, description(c.Version))
	s.api.UseMiddleware(s.checkScope, s.readBody)
	s.sessionRoutes()
	s.projectRoutes()
	s.searchRoutes()
	s.optionRoutes()
	s.shareRoutes()
	s.pushRoutes()
	s.turnRoutes()
	s.changeRoutes()
	s.stopRoutes()
	s.questionRoutes()
	s.queueRoutes()
	s.listRoutes()
	s.loginRoutes()
	s.eventRoutes()
	s.healthRoutes()
	return s
}

// Close ends all event streams, so that an http.Server can shut down. The
// clients reconnect to the next server.
func (s *Server) Close() {
	s.streams.closeAll()
	s.end()
}

// description returns the general part of the OpenAPI document.
func description(version string) huma.Config {
	c := huma.DefaultConfig("Bellcord", version)
	c.Info.Description = "An agent runtime in which stop means stopped. Numbers have their unit in their name."
	c.CreateHooks = nil // no $schema in responses
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "/v1/openapi", "", ""
	c.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token":  {Type: "http", Scheme: "bearer", Description: "a token from bellcord token create, or a JWT from an issuer that the server trusts"},
		"cookie": {Type: "apiKey", In: "cookie", Name: auth.CookieName, Description: "set by POST /v1/login; accepted only together with the header of the page"},
		"page":   {Type: "apiKey", In: "header", Name: auth.PageHeader, Description: "KEY.CHALLENGE.SIGNATURE: the public key of the page, a text from GET /v1/challenge, and its signature"},
	}
	c.Security = []map[string][]string{{"token": {}}, {"cookie": {}, "page": {}}}
	return c
}

// schemaName adds a suffix to the API types that share a name with a core type.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if t.PkgPath() == reflect.TypeFor[api.Session]().PkgPath() && (name == "Session" || name == "Usage") {
		return name + "Report"
	}
	return name
}

// route describes an operation. readBody reads its body, up to MaxBodyBytes.
func route(method, path, id, summary string, scope bellcord.Scope) huma.Operation {
	return huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary,
		Metadata:        map[string]any{"scope": scope},
		Extensions:      map[string]any{"x-scope": string(scope)},
		BodyReadTimeout: -1, MaxBodyBytes: mostBody,
	}
}

// checkScope refuses a caller that lacks the operation's scope or exceeds its
// request rate.
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
	default:
		err = s.allow(caller, scope)
	}
	if err == nil {
		next(ctx)
		return
	}
	r, w := humago.Unwrap(ctx)
	s.writeProblem(w, r, err)
}

// allow refuses a caller that lacks the scope or exceeds its request rate.
func (s *Server) allow(caller auth.Caller, scope bellcord.Scope) error {
	switch {
	case caller.Unsure != nil && scope != bellcord.ScopeStop:
		return fmt.Errorf("%w: %w", bellcord.ErrStoreDown, caller.Unsure)
	case !caller.May(scope):
		return errScope{scope}
	case scope != bellcord.ScopeStop: // stops are not rate-limited
		return s.Door.Allow(caller)
	}
	return nil
}

// caller returns the authenticated caller. On routes without credentials it
// returns the zero Caller.
func caller(ctx context.Context) auth.Caller {
	c, _ := auth.From(ctx)
	return c
}

// cause returns the cause of a stop by the caller.
func cause(ctx context.Context, why string) bellcord.Cause {
	return bellcord.Cause{Kind: bellcord.CausePerson, By: caller(ctx).Owner, Source: from(ctx), Reason: why}
}

// errClosing means that turns are no longer accepted.
var errClosing = errors.New("the server is shutting down")
