package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// initialize replies without accessing the store. The protocol version is
// always 1, whichever version the client requests.
func (s *Server) initialize(m jsonrpc.Message) answer {
	p, err := decode[acp.InitializeRequest](m.Params)
	if err != nil {
		return failure(err)
	}
	can := p.ClientCapabilities
	s.mu.Lock()
	s.offers = EditorTools{Reads: can.FS.ReadTextFile, Writes: can.FS.WriteTextFile, Terminals: can.Terminal, conn: s.conn}
	s.mu.Unlock()
	if p.ClientInfo.Name != "" {
		s.client.Store(p.ClientInfo.Name)
	}
	return answer{result: acp.InitializeResponse{
		ProtocolVersion: acp.Version,
		AgentInfo:       acp.Implementation{Name: "bellcord", Title: "Bellcord", Version: s.config.Load().Version},
		AuthMethods:     authMethods(),
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:         true,
			PromptCapabilities:  acp.PromptCapabilities{Image: true, EmbeddedContext: true},
			McpCapabilities:     acp.McpCapabilities{HTTP: true},
			SessionCapabilities: acp.SessionCapabilities{List: true, Resume: true, Close: true, Delete: true},
		},
	}}
}

// opened calls Config.Opened with the editor's tools and the MCP servers of a
// session.
func (s *Server) opened(id bellcord.SessionID, servers []MCPServer) {
	tell := s.config.Load().Opened
	if tell == nil {
		return
	}
	s.mu.Lock()
	tools := s.offers
	s.mu.Unlock()
	tools.conn, tools.session = s.conn, string(id)
	tell(id, &tools, servers)
}

func (s *Server) newSession(ctx context.Context, params json.RawMessage) answer {
	p, err := decode[acp.NewSessionRequest](params)
	if err != nil {
		return failure(err)
	}
	if err := checkDir(p.Cwd); err != nil {
		return failure(err)
	}
	hub, err := s.ready()
	if err != nil {
		return failure(err)
	}
	usual := s.config.Load()
	made, err := hub.NewSession(ctx, bellcord.Session{Owner: usual.Owner, Dir: p.Cwd, Agent: usual.Agent, Model: usual.Model, Mode: usual.Mode})
	if err != nil {
		return failure(err)
	}
	s.opened(made.ID, p.McpServers)
	sess := s.open(hub, made.ID)
	s.work.Go(sess.follow)
	settings := s.settings(made)
	result := acp.NewSessionResponse{SessionID: string(made.ID), Modes: settings.Modes, ConfigOptions: settings.ConfigOptions}
	return answer{result: result, then: sess.sendCommands}
}

// checkDir returns an error if a session cannot work in dir.
func checkDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return invalid(fmt.Sprintf("cwd %q is not an absolute path", dir))
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return invalid(fmt.Sprintf("cwd %q does not exist", dir))
	case err != nil:
		return invalid("cwd: " + err.Error())
	case !info.IsDir():
		return invalid(fmt.Sprintf("cwd %q is not a directory", dir))
	}
	return nil
}

// loadSession replays the whole conversation before it replies.
func (s *Server) loadSession(ctx context.Context, params json.RawMessage) answer {
	return s.reopen(ctx, params, (*session).replay)
}

// resumeSession continues the conversation without replaying it. If the client
// already had it open, events that it has not seen are sent.
func (s *Server) resumeSession(ctx context.Context, params json.RawMessage) answer {
	return s.reopen(ctx, params, (*session).skip)
}

func (s *Server) reopen(ctx context.Context, params json.RawMessage, catchUp func(*session, context.Context) error) answer {
	p, err := decode[acp.LoadSessionRequest](params)
	if err != nil {
		return failure(err)
	}
	if err := checkDir(p.Cwd); err != nil {
		return failure(err)
	}
	hub, err := s.ready()
	if err != nil {
		return failure(err)
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	found, err := hub.OpenSession(ctx, bellcord.SessionID(p.SessionID))
	if err != nil {
		return failure(err)
	}
	if found.Dir != p.Cwd {
		if found, err = hub.Configure(found.ID, bellcord.SessionUpdated{Dir: p.Cwd}); err != nil {
			return failure(err)
		}
	}
	s.opened(found.ID, p.McpServers)
	sess := s.open(hub, found.ID)
	if err := catchUp(sess, ctx); err != nil {
		s.work.Go(sess.follow) // continues at the old position, or from the start
		return failure(err)
	}
	return answer{result: s.settings(found), then: func() {
		sess.sendCommands()
		s.work.Go(sess.follow)
	}}
}

const sessionsPerPage = 50

func (s *Server) listSessions(ctx context.Context, params json.RawMessage) answer {
	p, err := decode[acp.ListSessionsRequest](params)
	if err != nil {
		return failure(err)
	}
	query := bellcord.SessionQuery{Dir: p.Cwd, Limit: sessionsPerPage}
	if p.Cursor != "" {
		at, id, _ := strings.Cut(p.Cursor, " ")
		nanos, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return failure(invalid("invalid cursor"))
		}
		query.Before, query.BeforeID = time.Unix(0, nanos), bellcord.SessionID(id)
	}
	hub, err := s.ready()
	if err != nil {
		return failure(err)
	}
	found, err := hub.Sessions(ctx, query)
	if err != nil {
		return failure(err)
	}
	result := acp.ListSessionsResponse{Sessions: make([]acp.SessionInfo, len(found))}
	for i, v := range found {
		result.Sessions[i] = acp.SessionInfo{SessionID: string(v.ID), Cwd: v.Dir, Title: v.Title, UpdatedAt: v.Updated.UTC().Format(timeFormat)}
	}
	if len(found) == sessionsPerPage {
		last := found[len(found)-1]
		result.NextCursor = strconv.FormatInt(last.Updated.UnixNano(), 10) + " " + string(last.ID)
	}
	return answer{result: result}
}

// closeSession stops the session's turns immediately, in wire order, and
// replies after their prompts have been answered.
func (s *Server) closeSession(m jsonrpc.Message) {
	p, err := decode[acp.CloseSessionRequest](m.Params)
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	sess, err := s.session(p.SessionID)
	if err != nil {
		s.sendReply(m.ID, failure(err))
		return
	}
	cause := s.cause(bellcord.CausePerson, acp.MethodCloseSession)
	sess.stopSession(cause)
	s.work.Go(func() {
		ctx, done := context.WithTimeout(context.Background(), endBound)
		defer done()
		s.sendReply(m.ID, sess.closeSession(ctx, cause))
	})
}

func (s *session) closeSession(ctx context.Context, cause bellcord.Cause) answer {
	if _, err := s.hub.CloseSession(ctx, s.id, cause); err != nil {
		return failure(stillStopping(err))
	}
	if err := s.book.awaitOwedAnswers()(ctx); err != nil {
		return failure(err)
	}
	s.server.mu.Lock()
	delete(s.server.sessions, s.id)
	s.server.mu.Unlock()
	s.unfollow(errGone)
	if closed := s.server.config.Load().Closed; closed != nil {
		closed(s.id)
	}
	return answer{result: struct{}{}}
}

// stillStopping explains an exceeded deadline.
func stillStopping(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the session's turns did not stop within %s; try again: %w", endBound, err)
	}
	return err
}

// deleteSession stops the session's turns in every process, waits until they
// have settled, and then deletes it. It succeeds for a session that does not
// exist.
func (s *Server) deleteSession(ctx context.Context, params json.RawMessage) answer {
	p, err := decode[acp.DeleteSessionRequest](params)
	if err != nil {
		return failure(err)
	}
	hub, err := s.ready()
	if err != nil {
		return failure(err)
	}
	ctx, done := context.WithTimeout(ctx, endBound)
	defer done()
	cause := s.cause(bellcord.CausePerson, acp.MethodDeleteSession)
	if sess, err := s.session(p.SessionID); err == nil {
		if a := sess.closeSession(ctx, cause); a.err != nil {
			return a
		}
	}
	return answer{result: struct{}{}, err: stillStopping(hub.DeleteSession(ctx, bellcord.SessionID(p.SessionID), cause))}
}
