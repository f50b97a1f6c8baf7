// Package acpnet serves the Agent Client Protocol over the network, at one
// path: over WebSocket, and over HTTP with POST requests and streams of
// server-sent events. It contains the transports; package acp contains the
// protocol, and the HTTP API's Access decides what a caller may do.
//
// A lost connection stops no turn. A client opens another connection and loads
// or resumes its sessions.
package acpnet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/front/acp"
	"github.com/bellcord/bellcord/internal/front/web"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/websocket"
)

// Config configures a Server. A zero limit selects the default.
type Config struct {
	// ACP is the configuration of each connection. Its Network is replaced.
	ACP    acp.Config
	Hub    *hub.Hub
	Web    *web.Server // decides what callers may do
	Logger *slog.Logger
	Limits
}

// Limits are the limits of the connections.
type Limits struct {
	MostPerToken int           // connections of a token at once (32)
	KeepAlive    time.Duration // interval of keep-alive comments and pings, and of checks of the token (15 s)
	Stall        time.Duration // time limit of a write (60 s)
	Idle         time.Duration // how long an HTTP connection without streams and requests is kept (2 min)
	MostMessage  int64         // bytes of a WebSocket message (32 MiB)
}

// Limits that cannot be configured.
const (
	mostBody     = 16 << 20 // bytes of a POST
	mostBuffered = 64 << 20 // unwritten bytes of a connection, above which it is closed
	roomy        = 1 << 20  // unwritten bytes from which followers of the log wait
	mostStreams  = 256      // sessions of an HTTP connection
	handshake    = 30 * time.Second
)

// Server serves ACP connections. It is an http.Handler for one path.
type Server struct {
	config Config

	mu     sync.Mutex
	http   map[string]*httpConnection // by Acp-Connection-Id
	open   map[ender]struct{}
	tokens map[string]int // connections by token
	closed bool
	work   sync.WaitGroup
}

// ender is a connection that can be ended.
type ender interface{ end(why string) }

// New returns a server.
func New(c Config) *Server {
	if c.MostPerToken == 0 {
		c.MostPerToken = 32
	}
	if c.KeepAlive == 0 {
		c.KeepAlive = 15 * time.Second
	}
	if c.Stall == 0 {
		c.Stall = time.Minute
	}
	if c.Idle == 0 {
		c.Idle = 2 * time.Minute
	}
	if c.MostMessage == 0 {
		c.MostMessage = 32 << 20
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Server{config: c, http: map[string]*httpConnection{}, open: map[ender]struct{}{}, tokens: map[string]int{}}
}

// ServeHTTP implements http.Handler. The request has passed the checks of the
// web server.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	access, err := s.config.Web.Access(r)
	if err != nil {
		s.config.Web.Refuse(w, r, err)
		return
	}
	switch {
	case websocket.IsUpgrade(r):
		s.serveSocket(w, r, access)
	case r.Method == http.MethodPost:
		s.post(w, r, access)
	case r.Method == http.MethodGet:
		s.stream(w, r, access)
	case r.Method == http.MethodDelete:
		s.delete(w, r, access)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, "method not allowed: use GET, POST or DELETE")
	}
}

// Close ends all connections. It stops no turn.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	all := s.open
	s.open = map[ender]struct{}{}
	s.mu.Unlock()
	for one := range all {
		s.work.Go(func() { one.end("the server is shutting down") })
	}
	s.work.Wait()
}

// admit counts a connection until leave is called. At the limit, it ends an HTTP
// connection of the token that has no streams: its client may be gone.
func (s *Server) admit(access *web.Access) (leave func(), err error) {
	token := access.Token() + "\x00" + access.Owner()
	s.mu.Lock()
	full := s.tokens[token] >= s.config.MostPerToken
	s.mu.Unlock()
	if unused := s.unusedOf(access); full && unused != nil {
		unused.end("the token opened another connection")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tokens[token] >= s.config.MostPerToken {
		return nil, fmt.Errorf("this token has %d ACP connections: close some", s.tokens[token])
	}
	left, err := access.Connect()
	if err != nil {
		return nil, err
	}
	s.tokens[token]++
	return sync.OnceFunc(func() {
		left()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.tokens[token]--; s.tokens[token] == 0 {
			delete(s.tokens, token)
		}
	}), nil
}

// unusedOf returns the connection of a token that was not used for the longest
// time, of those without streams, or nil.
func (s *Server) unusedOf(access *web.Access) (found *httpConnection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.http {
		if c.access.Same(access) && c.streams.attached() == 0 && (found == nil || c.lastUse().Before(found.lastUse())) {
			found = c
		}
	}
	return found
}

// add registers a connection. It reports false if the server is closed.
func (s *Server) add(c ender) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.open[c] = struct{}{}
	}
	return !s.closed
}

func (s *Server) remove(c ender) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, c)
}

// connect returns the protocol's side of a connection.
func (s *Server) connect(conn *jsonrpc.Conn, access *web.Access, unordered bool) *acp.Server {
	config := s.config.ACP
	config.Network = &acp.Network{
		Owner: access.Owner(), Unordered: unordered,
		Allow: access.Allow, May: access.May, Reach: access.Reach, Admit: access.Admit,
		Session: access.Session, Create: access.Create, Change: access.Change, Delete: access.Delete,
		Answer: access.Answer, Watch: access.Watch, Bind: access.Bind, Problem: s.problem,
	}
	return acp.Connect(conn, func() (*hub.Hub, error) { return s.config.Hub, nil }, config)
}

// Error codes of JSON-RPC responses for the statuses of the HTTP API.
const (
	codeAuthRequired = -32000
	codeNotFound     = -32002
	codeForbidden    = -32003
	codeOverloaded   = -32004
)

// problem returns the response for an error: the same text as in a response of
// the HTTP API, with its JSON as data.
func (s *Server) problem(err error) *jsonrpc.Error {
	status, text, body := s.config.Web.Problem(err)
	code := jsonrpc.InternalError
	switch status {
	case http.StatusUnauthorized:
		code = codeAuthRequired
	case http.StatusForbidden:
		code = codeForbidden
	case http.StatusNotFound:
		code = codeNotFound
	case http.StatusConflict, http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge:
		code = jsonrpc.InvalidParams
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		code = codeOverloaded
	}
	return &jsonrpc.Error{Code: code, Message: text, Data: body}
}

// keepOpen keeps the sessions of a connection open in the hub, which closes idle
// ones.
func (s *Server) keepOpen(ctx context.Context, server *acp.Server) {
	for _, id := range server.Open() {
		_, _ = s.config.Hub.OpenSession(ctx, id) // a deleted session is reported to its follower
	}
}

// newConnectionID returns the id of a connection: a random UUID. It is no
// secret; every request also needs the credentials.
func newConnectionID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// refuse writes an error of the transport.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = fmt.Fprintln(w, text) //nolint:gosec // the content type is text/plain
}

// methodOf returns the method and the id of an encoded message, for errors
// before the protocol is involved.
func methodOf(message []byte) (method string, id json.RawMessage) {
	var m struct {
		Method string          `json:"method"`
		ID     json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(message, &m) // the connection reports invalid messages
	return m.Method, m.ID
}
