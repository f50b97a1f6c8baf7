// Package acp is the front for editors: the Agent Client Protocol, version 1,
// on stdio.
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
	// it is unknown. Both may be nil.
	CheckModel  func(name string) error
	ContextSize func(model string) int64

	// Opened is called for each session that the client opens, with the
	// editor's tools and the MCP servers that the client names. Closed is
	// called when the session is closed. Both may be nil.
	Opened func(id bellcord.SessionID, tools *EditorTools, servers []MCPServer)
	Closed func(id bellcord.SessionID)

	// SetUp is set if no model is configured. It configures one and returns the
	// configuration that is used from then on. Until it succeeds, no session
	// can be opened and hub is not called.
	SetUp func(context.Context) (Config, error)
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

	offers EditorTools  // what the editor supports; set by initialize
	client atomic.Value // a string: the client's name, once initialize has received it

	opening sync.Mutex // held while a session is reopened

	mu       sync.Mutex
	sessions map[bellcord.SessionID]*session
	ending   bool // the input has ended
}

// Serve serves ACP on in and out until the input ends. It then stops every
// turn, because the client that showed it is gone. hub is called by the first
// request that needs it and must return the same hub each time.
func Serve(in io.Reader, out io.Writer, hub func() (*hub.Hub, error), config Config) error {
	s := &Server{
		hub:      hub,
		conn:     jsonrpc.New(in, out),
		sessions: map[bellcord.SessionID]*session{},
	}
	s.config.Store(&config)
	return s.conn.Serve(s.handle, s.stopAndAnswer)
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
	switch m.Method {
	case acp.MethodPrompt:
		s.prompt(m)
	case acp.MethodCancel:
		s.cancel(m)
	case acp.MethodCancelRequest:
		s.cancelRequest(m)
	case acp.MethodSetMode:
		s.sendReply(m.ID, s.setMode(m))
	case acp.MethodSetConfigOption:
		s.sendReply(m.ID, s.setOption(m))
	case acp.MethodInitialize:
		s.sendReply(m.ID, s.initialize(m))
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
		if m.IsRequest() {
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
	s.work.Go(func() { s.sendReply(m.ID, serve(context.Background(), m.Params)) })
}

func (s *Server) sendReply(id json.RawMessage, a answer) {
	if len(id) == 0 { // a notification gets no reply
		return
	}
	if a.err != nil {
		s.conn.ReplyError(id, wireError(a.err))
		return
	}
	s.conn.Reply(id, a.result)
	if a.then != nil {
		a.then()
	}
}

func wireError(err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, bellcord.ErrNoSession), errors.Is(err, bellcord.ErrNotOpen):
		return &jsonrpc.Error{Code: int(acp.ResourceNotFound), Message: err.Error()}
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
	if name, said := s.client.Load().(string); said {
		return name
	}
	return "editor"
}

func (s *Server) session(id string) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sess := s.sessions[bellcord.SessionID(id)]
	if sess == nil {
		return nil, bellcord.ErrNotOpen
	}
	return sess, nil
}
