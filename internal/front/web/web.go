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
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"time"

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
	// Patience is the time limit for a write to a viewer, and the delay before a
	// StopOnDisconnect turn without viewers is stopped (10 s).
	Patience time.Duration
}

// Server implements the HTTP API. Handler serves the network, Socket the local
// socket.
type Server struct {
	problemWriter
	guard     guard
	secure    bool
	checkPeer func(net.Conn) error
	mux       *http.ServeMux
	hub       prompter
	sessions  *sessions
	dirs      *directories
	memory    *memoryGate
	viewers   *crowd
	streams   *streams
	watched   *watched
	end       func() // ends background work
}

// New returns a server with defaults for unset fields of c. Serve its Handler
// and Socket.
func New(c Config) *Server {
	c = withDefaults(c)
	boundErrors()
	life, end := context.WithCancel(context.Background())
	problems := problemWriter{c.Hide, c.Logger}
	s := &Server{
		problemWriter: problems,
		guard: guard{
			problemWriter: problems, door: c.Door, hosts: c.Hosts, origins: c.Origins, behindProxy: c.BehindProxy,
			bodyTime: c.BodyTime, inFlight: inFlight{most: mostInFlight()},
		},
		secure: c.Secure, checkPeer: c.CheckPeer, mux: http.NewServeMux(), hub: c.Hub,
		dirs:    &directories{workspaces: c.Workspaces, roots: c.Roots, machineOwner: c.MachineOwner, private: c.Private},
		memory:  &memoryGate{full: c.MemoryFull, reclaim: c.Reclaim, logger: c.Logger},
		streams: &streams{},
		watched: &watched{
			hub: c.Hub, closed: life.Done(), elsewhere: c.Elsewhere, patience: c.Patience,
			sessions: map[bellcord.SessionID]*watchers{},
		},
		end: end,
	}
	s.viewers = &crowd{most: *c.MostViewers, memory: s.memory, changed: c.Viewers, logger: c.Logger}
	o := &operations{problems, views{c.Hub}, humago.New(s.mux, description(c.Version))}
	o.api.UseMiddleware(s.guard.checkScope, s.guard.readBody)
	for _, resource := range s.resources(c) {
		resource.register(o)
	}
	health := health{
		problemWriter: problems, version: c.Version, metrics: c.Metrics, hub: c.Hub, leaving: c.Leaving,
		probe: storeProbe{reader: c.Hub, logger: c.Logger}, memory: s.memory,
	}
	health.handle(s.mux)
	return s
}

// resources returns the parts of the API, and keeps those that Access uses.
func (s *Server) resources(c Config) []resource {
	views := views{c.Hub}
	rules := rules{agent: c.Session.Agent, ceiling: c.Ceiling, checkModel: c.CheckModel, checkAgent: c.CheckAgent}
	searcher := sessionsearch.New(c.Texts, sessionsearch.Options{OwnDir: s.dirs.isWorkspace, Logger: c.Logger})
	s.sessions = &sessions{
		views: views, hub: c.Hub, defaults: c.Session, rules: rules, dirs: s.dirs, streams: s.streams, searcher: searcher,
		deleted: c.Deleted, removeFiles: c.RemoveFiles,
	}
	return []resource{
		s.sessions,
		&projects{c.Hub, s.dirs},
		&searches{views, s.dirs, searcher, c.SearchTime},
		&options{rules, c.AgentOptions},
		&shares{views, c.Shares, c.Hide},
		&subscriptions{c.Push},
		&turns{views: views, hub: c.Hub, limits: c.Prompt, dirs: s.dirs, memory: s.memory, watched: s.watched},
		&changes{views, c.Files, s.dirs},
		&stops{c.Hub},
		&questions{views, c.Hub},
		&queue{views, c.Hub},
		&lists{c.Models, c.Agents, c.Nodes},
		&usage{views, c.Hub},
		&logins{c.Door, c.URL},
		&events{
			views: views, problemWriter: s.problemWriter, door: c.Door, viewers: s.viewers, streams: s.streams,
			watched: s.watched, heartbeat: c.Heartbeat, retry: c.Retry, patience: c.Patience,
		},
	}
}

// Close ends all event streams, so that an http.Server can shut down. The
// clients reconnect to the next server.
func (s *Server) Close() {
	s.streams.closeAll()
	s.end()
}

// withDefaults returns c with values for its unset fields.
func withDefaults(c Config) Config {
	setDefault(&c.Heartbeat, 15*time.Second)
	setDefault(&c.Retry, time.Second)
	setDefault(&c.Patience, 10*time.Second)
	setDefault[Files](&c.Files, noFiles{})
	setDefault(&c.SearchTime, 3*time.Second)
	setDefault(&c.BodyTime, 30*time.Second)
	setDefault(&c.MostViewers, &Bounds{-1, -1})
	setDefault(&c.Logger, slog.New(slog.DiscardHandler))
	setDefault(&c.Viewers, func(int) {})
	setDefault(&c.Elsewhere, func(bellcord.SessionID) bool { return false })
	setDefault(&c.Leaving, func() error { return nil })
	setDefault(&c.URL, func() string { return "" })
	setDefault(&c.Nodes, func(context.Context) ([]api.Node, error) { return nil, nil })
	setDefault(&c.Ceiling, func(string, string) error { return nil })
	setDefault(&c.Roots, func(string) []string { return nil })
	setDefault(&c.CheckPeer, func(net.Conn) error { return nil })
	setDefault(&c.RemoveFiles, func(bellcord.Session) error { return nil })
	setDefault(&c.Deleted, func(bellcord.SessionID) {})
	setDefault(&c.MemoryFull, memoryFull)
	setDefault(&c.Reclaim, func() int64 { return 0 })
	setDefault(&c.Hide, func(text string) string { return text })
	return c
}

func setDefault[T any](field *T, value T) {
	if reflect.ValueOf(field).Elem().IsZero() {
		*field = value
	}
}
