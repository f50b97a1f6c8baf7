package acp

import (
	"context"
	"errors"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/realdir"
	"github.com/bellcord/bellcord/store"
)

// Network contains the rules of a connection to a server that several people
// use. The functions are safe for concurrent use. Allow, May, Reach, Admit,
// Change, Watch and Bind do no I/O.
type Network struct {
	// Owner is the name of the client's owner, for receipts.
	Owner string
	// Unordered means that messages can arrive in another order than they were
	// sent: a $/cancel_request that arrives before its prompt is kept.
	Unordered bool

	// Allow returns an error unless the client has the scope. Every request
	// except a stop counts against the request rate of the client's owner. May
	// only reports whether the client has the scope.
	Allow func(bellcord.Scope) error
	May   func(bellcord.Scope) bool
	// Reach returns the owner of the sessions that the client reaches, or ""
	// for the sessions of all owners.
	Reach func() string
	// Admit returns an error if the server cannot accept another prompt in a session.
	Admit func(bellcord.Session) error
	// Session returns a session that the client reaches, or ErrNoSession.
	Session func(ctx context.Context, id string) (bellcord.Session, error)
	// Create creates a session of the client's owner, in a new directory if dir
	// is empty. Only an admin may name directories.
	Create func(ctx context.Context, dir string, additional []string) (bellcord.Session, error)
	// Change returns an error if the client may not change the session this way.
	Change func(s bellcord.Session, change bellcord.SessionUpdated) error
	// Delete stops the turns of a session and deletes it.
	Delete func(ctx context.Context, s bellcord.Session, cause bellcord.Cause) error
	// Answer answers a question of a turn, whichever process runs it.
	Answer func(turn bellcord.TurnID, question string, r bellcord.Reply, by string) error
	// Watch registers the client as a viewer of a session until leave is
	// called. Bind stops a turn once its session has no viewers.
	Watch func(bellcord.SessionID) (leave func())
	Bind  func(bellcord.SessionID, bellcord.TurnID)
	// Problem returns the response for an error. It contains no secrets.
	Problem func(error) *jsonrpc.Error
}

// Connect returns a server for a connection of the network; config.Network must
// be set. The transport passes requests and notifications to Handle, one after
// the other, and calls Leave when the connection is lost.
func Connect(conn *jsonrpc.Conn, hub func() (*hub.Hub, error), config Config) *Server {
	return newServer(conn, hub, config)
}

// Handle handles a request or a notification. When it returns, a prompt has
// been accepted and a stop has been carried out; the responses follow.
func (s *Server) Handle(m jsonrpc.Message) { s.handle(m) }

// Leave ends the connection. It stops no turn, except those that depend on
// viewers: see Network.Bind.
func (s *Server) Leave() {
	s.end(errGone)
	s.mu.Lock()
	s.ending = true
	open := s.sessions
	s.sessions = map[bellcord.SessionID]*session{}
	s.mu.Unlock()
	s.conn.Close()
	for _, sess := range open {
		sess.unfollow(errGone)
		sess.stopWatching()
	}
}

// Detach closes a session on this connection, because the client lost a part of
// its updates: it has to load or resume the session. Detach stops no turn. When
// it returns, no further update of the session is sent.
func (s *Server) Detach(id string) {
	s.opening.Lock() // a session that is being reopened has its follower
	defer s.opening.Unlock()
	s.mu.Lock()
	sess := s.sessions[bellcord.SessionID(id)]
	delete(s.sessions, bellcord.SessionID(id))
	s.mu.Unlock()
	if sess != nil {
		sess.unfollow(errGone)
		sess.stopWatching()
		<-sess.followed
	}
}

// Open returns the ids of the sessions that the client has open.
func (s *Server) Open() []bellcord.SessionID {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]bellcord.SessionID, 0, len(s.sessions))
	for id := range s.sessions {
		ids = append(ids, id)
	}
	return ids
}

// scopes are the scopes that methods require, as the routes of the HTTP API do.
// The other methods require none.
var scopes = map[string]bellcord.Scope{
	acp.MethodNewSession:      bellcord.ScopePrompt,
	acp.MethodPrompt:          bellcord.ScopePrompt,
	acp.MethodSetMode:         bellcord.ScopePrompt,
	acp.MethodSetConfigOption: bellcord.ScopePrompt,
	acp.MethodDeleteSession:   bellcord.ScopePrompt,
	acp.MethodLoadSession:     bellcord.ScopeRead,
	acp.MethodResumeSession:   bellcord.ScopeRead,
	acp.MethodListSessions:    bellcord.ScopeRead,
	acp.MethodCancel:          bellcord.ScopeStop,
	acp.MethodCancelRequest:   bellcord.ScopeStop,
	acp.MethodCloseSession:    bellcord.ScopeStop,
}

// allowMethod returns an error if the client may not use a method.
func (s *Server) allowMethod(method string) error {
	if scope := scopes[method]; scope != "" {
		return s.allow(scope)
	}
	return nil
}

// allow returns an error unless the client has the scope. On stdio it has all.
func (s *Server) allow(scope bellcord.Scope) error {
	if network := s.config.Load().Network; network != nil {
		return network.Allow(scope)
	}
	return nil
}

func (s *Server) may(scope bellcord.Scope) bool {
	network := s.config.Load().Network
	return network == nil || network.May(scope)
}

// makeSession creates the session of a session/new.
func (s *Server) makeSession(ctx context.Context, hub *hub.Hub, p acp.NewSessionRequest) (bellcord.Session, error) {
	usual := s.config.Load()
	if usual.Network == nil {
		if err := checkDirs(p.Cwd, p.AdditionalDirectories); err != nil {
			return bellcord.Session{}, err
		}
		return hub.NewSession(ctx, bellcord.Session{Owner: usual.Owner, Dir: p.Cwd, AdditionalDirs: p.AdditionalDirectories, Agent: usual.Agent, Model: usual.Model, Mode: usual.Mode})
	}
	if err := s.mayName(p.McpServers); err != nil {
		return bellcord.Session{}, err
	}
	dir, additional := p.Cwd, p.AdditionalDirectories
	switch {
	case p.Meta["bellcord/workspace"] == true: // the client's directories are on another machine
		dir, additional = "", nil
	case !s.may(bellcord.ScopeAdmin): // Create refuses additional directories
		dir = ""
	}
	return usual.Network.Create(ctx, dir, additional)
}

// mayName returns an error if the client may not name MCP servers: the server
// would start commands and send requests for it.
func (s *Server) mayName(servers []acp.McpServer) error {
	if len(servers) == 0 {
		return nil
	}
	return s.allow(bellcord.ScopeAdmin)
}

// placeMeta reports the directory of a new session on the server, which may
// differ from the one in the request.
func (s *Server) placeMeta(made bellcord.Session) acp.Meta {
	if s.config.Load().Network == nil {
		return nil
	}
	return acp.Meta{"bellcord/cwd": made.Dir}
}

// findSession opens the session of a session/load or session/resume. On stdio,
// the session moves to the directories of the request. On the network it stays
// where it is, unless an admin names additional directories.
func (s *Server) findSession(ctx context.Context, hub *hub.Hub, p acp.LoadSessionRequest) (bellcord.Session, error) {
	network := s.config.Load().Network
	if network == nil {
		if err := checkDirs(p.Cwd, p.AdditionalDirectories); err != nil {
			return bellcord.Session{}, err
		}
	} else {
		if err := s.mayName(p.McpServers); err != nil {
			return bellcord.Session{}, err
		}
		if _, err := network.Session(ctx, p.SessionID); err != nil {
			return bellcord.Session{}, err
		}
	}
	found, err := hub.OpenSession(ctx, bellcord.SessionID(p.SessionID))
	if err != nil {
		return found, err
	}
	return s.moveSession(hub, found, p)
}

// listQuery returns the query of a session/list. Clients without the admin
// scope have sessions in workspaces only, so cwd selects nothing for them.
func (s *Server) listQuery(cwd string) store.SessionQuery {
	query := store.SessionQuery{Limit: sessionsPerPage}
	network := s.config.Load().Network
	if network != nil {
		query.Owner = network.Reach()
	}
	if cwd != "" && (network == nil || network.May(bellcord.ScopeAdmin)) {
		query.Dir = realdir.Resolve(cwd)
	}
	return query
}

// removeSession deletes a session. A session that the client does not reach
// does not exist for it.
func (s *Server) removeSession(ctx context.Context, hub *hub.Hub, id string, cause bellcord.Cause) error {
	network := s.config.Load().Network
	if network == nil {
		return hub.DeleteSession(ctx, bellcord.SessionID(id), cause)
	}
	found, err := network.Session(ctx, id)
	if errors.Is(err, bellcord.ErrNoSession) {
		return nil
	}
	if err != nil {
		return err
	}
	return network.Delete(ctx, found, cause)
}

// cancelSession stops the turns of a session. On the network, the session need
// not be open on this connection: a client may stop what another one started.
func (s *Server) cancelSession(id bellcord.SessionID, cause bellcord.Cause) {
	sess, err := s.session(string(id))
	if err == nil {
		sess.stopSession(cause)
		return
	}
	network := s.config.Load().Network
	if network == nil || id == "" {
		return
	}
	if hub, err := s.hub(); err == nil {
		hub.Stop(bellcord.StopRequest{Session: id, Owner: network.Reach(), Cause: cause, Queue: bellcord.QueueDrop, Everywhere: true})
	}
}

// settleTurns stops the session's turns and waits until they have settled. On
// stdio it then closes the session. On the network others may have it open; the
// server closes it when it is idle.
func (s *session) settleTurns(ctx context.Context, cause bellcord.Cause) error {
	if s.server.config.Load().Network == nil {
		s.cancelUndos()
		_, err := s.hub.CloseSession(ctx, s.id, cause)
		return err
	}
	_, err := s.stopSession(cause).Wait(ctx)
	return err
}

// configureOpen changes an open session if the client may.
func (s *Server) configureOpen(sess *session, now bellcord.Session, change bellcord.SessionUpdated) (bellcord.Session, error) {
	if network := s.config.Load().Network; network != nil {
		if err := network.Change(now, change); err != nil {
			return now, err
		}
	}
	return sess.hub.Configure(sess.id, change)
}

// mayPrompt returns an error if the server is overloaded, or if the client
// already waits for the same turn.
func (s *Server) mayPrompt(sess *session, turn bellcord.TurnID) error {
	if sess.book.has(turn) {
		return invalid("a prompt of this connection has the same bellcord/turn and is not answered yet")
	}
	if network := s.config.Load().Network; network != nil {
		return network.Admit(sess.settings())
	}
	return nil
}
