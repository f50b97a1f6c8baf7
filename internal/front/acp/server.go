// Package acp is the front for editors: the Agent Client Protocol, version 1, and
// the draft of version 2 for clients that offer it.
// Serve serves one editor on stdio; Connect serves a connection of the network.
//
// The goroutine that reads the wire accepts prompts and applies cancels itself,
// in wire order, without I/O in between, so a cancel in the same write as its
// prompt finds the turn. For each session one goroutine follows the log and
// sends the updates and the replies to prompts, so no update of a turn comes
// after its reply.
package acp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/acp/updates"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// Config configures a server.
type Config struct {
	Version string
	Owner   string   // owner of new sessions
	Agent   string   // agent of new sessions: a hosted one, or "" for the built-in one
	Model   string   // model of new sessions, provider/model
	Models  []string // to choose from
	Mode    string   // mode of new sessions
	Prompt  bellcord.Prompt
	Logger  *slog.Logger

	// CheckModel returns an error if /model may not select a model that is not
	// in Models. The goroutine that reads the wire calls it, so it must do no
	// I/O. ContextSize returns the context size of a model in tokens, or 0 if
	// it is unknown. Efforts returns the reasoning efforts to choose from for a
	// model, or nil if its API has none. All may be nil.
	CheckModel  func(name string) error
	ContextSize func(model string) int64
	Efforts     func(model string) []string

	// Opened is called for each session that the client opens, with the
	// editor's tools and the MCP servers that the client names. Closed is
	// called when the session is closed. Both may be nil.
	Opened func(id bellcord.SessionID, tools *EditorTools, servers []MCPServer)
	Closed func(id bellcord.SessionID)

	// Background returns the commands of a session that outlive their turns and
	// are running now. It does no I/O. It is nil if they are not known.
	Background func(id bellcord.SessionID) []bellcord.Process

	// Files returns what lists and undoes the changes of turns. It is nil if
	// none are recorded.
	Files func() (Files, error)

	// SetUp is set if no model is configured. It configures one and returns the
	// configuration that is used from then on. Until it succeeds, no session
	// can be opened and hub is not called.
	SetUp func(context.Context) (Config, error)
	// SetUpArgs are the arguments that make the command, which the client
	// started, set up a model in a terminal; nil if it cannot.
	SetUpArgs []string
	// Command is the command that the client started, with its arguments.
	Command []string

	// Hosted is the agent that Agent names, or nil for the built-in one.
	Hosted Hosted

	// Network contains the rules of a connection of the network; nil on stdio.
	Network *Network
}

// MCPServer is an MCP server that a client requests for a session: a command or
// a URL.
type MCPServer = acp.McpServer

// Server serves ACP on one connection.
type Server struct {
	config atomic.Pointer[Config]
	setup  sync.Mutex // held while the configuration is replaced
	// hub is not called by initialize: opening the hub must not delay the
	// handshake.
	hub  func() (*hub.Hub, error)
	conn *jsonrpc.Conn
	work sync.WaitGroup // background requests and followers

	offers  EditorTools                 // what the editor supports; set by initialize
	shows   updates.Shows               // what the editor can show; set by initialize
	client  atomic.Value                // a string: the client's name, once initialize has received it
	elicits acp.ElicitationCapabilities // set by initialize

	opening sync.Mutex // held while a session is reopened

	life context.Context // ends with a connection of the network; Background on stdio
	end  context.CancelCauseFunc

	mu          sync.Mutex
	version     version     // as negotiated by initialize
	agentOffers agentOffers // as reported by the hosted agent's initialize
	sessions    map[bellcord.SessionID]*session
	ending      bool                          // the input has ended
	early       earlyCancels                  // only if messages may arrive out of order
	aliases     map[string]bellcord.SessionID // sessions for which the client uses an id of the hosted agent
	children    map[string]bellcord.SessionID // sessions of the hosted agent's sub-agents, and the sessions that started them

	recorded recordedSessions
}

// Serve serves ACP on in and out until the input ends. It then stops every
// turn, because the client that showed it is gone. hub is called by the first
// request that needs it and must return the same hub each time.
func Serve(in io.Reader, out io.Writer, hub func() (*hub.Hub, error), config Config) error {
	s := newServer(jsonrpc.New(in, out), hub, config)
	return s.conn.Serve(s.handle, s.stopAndAnswer)
}

func newServer(conn *jsonrpc.Conn, hub func() (*hub.Hub, error), config Config) *Server {
	s := &Server{hub: hub, conn: conn, version: version1{}, sessions: map[bellcord.SessionID]*session{}}
	s.life, s.end = context.WithCancelCause(context.Background())
	s.config.Store(&config)
	return s
}

// endBound limits the wait for turns to end: the hard limit of a stop, plus
// time to write the final events.
const endBound = 12 * time.Second

// stopAndAnswer stops all turns and waits until every prompt has been answered.
func (s *Server) stopAndAnswer() {
	ctx, done := context.WithTimeout(context.Background(), endBound)
	defer done()
	s.mu.Lock()
	s.ending = true
	open := slices.Collect(maps.Values(s.sessions))
	s.mu.Unlock()
	if len(open) > 0 {
		if err := open[0].hub.Drain(ctx, s.cause(bellcord.CauseDisconnect, "the client closed the connection")); err != nil {
			s.config.Load().Logger.Error("stopping turns failed", "err", err)
		}
	}
	for _, sess := range open {
		_ = sess.book.awaitOwedAnswers()(ctx) // the follower answers the rest with an error
		sess.unfollow(errGone)
	}
	s.work.Wait()
}

// handle is called by the goroutine that reads the wire. Messages that depend
// on wire order are handled here, without I/O; the others each get a goroutine.
func (s *Server) handle(m jsonrpc.Message) {
	if m.Method == acp.MethodInitialize {
		s.negotiate(m.Params)
	}
	m, ok := s.speaks().receive(m)
	if !ok {
		return
	}
	if err := s.allowMethod(m.Method); err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	switch m.Method {
	case acp.MethodPrompt:
		s.prompt(m)
	case acp.MethodCancel:
		s.cancel(m)
	case acp.MethodCancelRequest:
		s.cancelRequest(m)
	case acp.MethodSetMode:
		s.setMode(m)
	case acp.MethodSetConfigOption:
		s.setOption(m)
	case acp.MethodInitialize:
		if s.config.Load().Hosted != nil {
			s.later(m, s.initializeHosted)
			return
		}
		s.sendReply(m.ID, s.initialize(m.Params))
	case acp.MethodAuthenticate:
		s.later(m, s.authenticate)
	case acp.MethodNewSession:
		s.later(m, s.newSession)
	case acp.MethodLoadSession:
		s.later(m, s.loadSession)
	case acp.MethodResumeSession:
		s.later(m, s.resumeSession)
	case acp.MethodListSessions:
		s.later(m, s.listSessions)
	case acp.MethodDeleteSession:
		s.later(m, s.deleteSession)
	case acp.MethodCloseSession:
		s.closeSession(m)
	default:
		if m.Method == acp.UnstableForkSession && s.config.Load().Hosted != nil {
			s.later(m, s.forkSession)
			return
		}
		if !s.pass(m) && m.IsRequest() {
			s.conn.ReplyError(m.ID, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "unknown method: " + m.Method})
		}
	}
}

// answer is the result of a request; then runs right after the reply.
type answer struct {
	result any
	err    error
	then   func()
}

func failure(err error) answer { return answer{err: err} }

func (s *Server) later(m jsonrpc.Message, serve func(context.Context, json.RawMessage) answer) {
	s.work.Go(func() { s.sendReply(m.ID, serve(s.life, m.Params)) })
}

func (s *Server) sendReply(id json.RawMessage, a answer) {
	if len(id) == 0 { // a notification gets no reply
		return
	}
	if a.err != nil {
		s.conn.ReplyError(id, s.wireError(a.err))
		return
	}
	s.conn.Reply(id, s.speaks().result(a.result))
	if a.then != nil {
		a.then()
	}
}

func (s *Server) wireError(err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	network := s.config.Load().Network
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, bellcord.ErrNoSession), errors.Is(err, bellcord.ErrNotOpen):
		return &jsonrpc.Error{Code: int(acp.ResourceNotFound), Message: err.Error()}
	case errors.Is(err, bellcord.ErrPromptTooLong):
		return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: err.Error()}
	case network != nil:
		return network.Problem(err)
	}
	return &jsonrpc.Error{Code: jsonrpc.InternalError, Message: err.Error()}
}

func invalid(format string) error {
	return &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: format}
}

func decode[T any](params json.RawMessage) (T, error) {
	var v T
	if len(params) == 0 {
		return v, nil
	}
	if err := json.Unmarshal(params, &v); err != nil {
		return v, invalid("params: " + err.Error())
	}
	return v, nil
}

func (s *Server) cause(kind bellcord.CauseKind, why string) bellcord.Cause {
	return bellcord.Cause{Kind: kind, By: s.clientName(), Source: "acp", Reason: why}
}

func (s *Server) clientName() string {
	if network := s.config.Load().Network; network != nil {
		return network.Owner
	}
	if name, known := s.client.Load().(string); known {
		return name
	}
	return "editor"
}

func (s *Server) session(id string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, aliased := s.aliases[id]
	if !aliased {
		known = bellcord.SessionID(id)
	}
	sess := s.sessions[known]
	if sess == nil {
		return nil, bellcord.ErrNotOpen
	}
	return sess, nil
}

func (s *Server) clientShows() updates.Shows {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shows
}
