// Package acp is the front for editors: the Agent Client Protocol, version 1,
// on stdio.
//
// The goroutine that reads the wire accepts prompts and applies cancels itself,
// in wire order, without I/O in between, so a cancel in the same write as its
// prompt finds the turn. For each session one goroutine follows the log and
// sends what it sees, the answer to a prompt included: nothing of a turn can
// come after its answer.
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

// Config is what a server needs to know.
type Config struct {
	Version string
	Owner   string   // of new sessions
	Agent   string   // for new sessions: one that is hosted, or "" for our own
	Model   string   // for new sessions, provider/model
	Models  []string // to choose from
	Mode    string   // for new sessions
	Prompt  bellcord.Prompt
	Logger  *slog.Logger

	// CheckModel says whether /model may name a model that is not in Models: nil
	// if it may. ContextSize is how many tokens a model takes, 0 where that is
	// not known. Both may be nil; the first is called by the goroutine that reads
	// the wire and must do no I/O.
	CheckModel  func(name string) error
	ContextSize func(model string) int64

	// Opened is told of each session that the client opens: what its editor
	// offers, and the MCP servers it names. Closed, that it is closed. Both may
	// be nil.
	Opened func(id bellcord.SessionID, desk *Desk, servers []MCPServer)
	Closed func(id bellcord.SessionID)

	// SetUp is there where no model is: it finds one, and returns the configuration
	// that holds from then on. Until it has, no session can be had, and hub is not
	// called.
	SetUp func(context.Context) (Config, error)
}

// MCPServer is one that a client asks the agent to use: a command, or a URL.
type MCPServer = acp.McpServer

// Server speaks ACP on one connection.
type Server struct {
	config atomic.Pointer[Config]
	setup  sync.Mutex // held while a client has it replaced
	// hub is opened while the client and we say hello: what it has to do first
	// must not delay that.
	hub  func() (*hub.Hub, error)
	conn *jsonrpc.Conn
	work sync.WaitGroup // requests and followers

	offers Desk         // what the client's editor offers; set by initialize
	client atomic.Value // a string: who is on the other end, once initialize has said so

	opening sync.Mutex // held while a session is opened again

	mu       sync.Mutex
	sessions map[bellcord.SessionID]*session
	ending   bool // the input has ended
}

// Serve speaks ACP on in and out until the input ends, then stops every turn,
// because the one who could see it has gone. hub is called by the first request
// that needs it; it must return the same hub each time.
func Serve(in io.Reader, out io.Writer, hub func() (*hub.Hub, error), config Config) error {
	s := &Server{
		hub:      hub,
		conn:     jsonrpc.New(in, out),
		sessions: map[bellcord.SessionID]*session{},
	}
	s.config.Store(&config)
	return s.conn.Serve(s.handle, s.stopAndAnswer)
}

// endBound is how long a client that has gone may keep us: a stop's hard bound,
// and time to write the ends.
const endBound = 12 * time.Second

// stopAndAnswer stops what runs and waits until every prompt has its answer.
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
		_ = sess.book.awaitOwedAnswers()(ctx) // whatever has no answer by now gets none
		sess.unfollow(errGone)
	}
	s.work.Wait()
}

// handle is called by the reading goroutine. What has to happen in wire order
// happens here and does no I/O; the rest gets a goroutine.
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

// answer is what a request came to; then is sent right behind the answer.
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
	if len(id) == 0 { // a notification has no answer
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
	return bellcord.Cause{Kind: kind, By: s.who(), Source: "acp", Reason: why}
}

func (s *Server) who() string {
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
