package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/acp/updates"
	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/internal/visible"
)

// initialize replies without accessing the store. The protocol version is
// always 1, whichever version the client requests.
func (s *Server) initialize(params json.RawMessage) answer {
	p, err := decode[acp.InitializeRequest](params)
	if err != nil {
		return failure(err)
	}
	can := p.ClientCapabilities
	s.mu.Lock()
	s.shows = updates.ReadShows(params)
	s.elicits = can.Elicitation
	s.offers = EditorTools{Reads: can.FS.ReadTextFile, Writes: can.FS.WriteTextFile, Terminals: can.Terminal, conn: s.conn}
	s.mu.Unlock()
	if p.ClientInfo.Name != "" {
		s.client.Store(p.ClientInfo.Name)
	}
	return answer{result: acp.InitializeResponse{
		ProtocolVersion: acp.Version,
		AgentInfo:       acp.Implementation{Name: "bellcord", Title: "Bellcord", Version: s.config.Load().Version},
		AuthMethods:     s.authMethods(can),
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:         true,
			PromptCapabilities:  acp.PromptCapabilities{Image: true, EmbeddedContext: true},
			McpCapabilities:     acp.McpCapabilities{HTTP: true},
			SessionCapabilities: acp.SessionCapabilities{List: true, Resume: true, Close: true, Delete: true, AdditionalDirectories: acp.Supported(s.may(bellcord.ScopeAdmin))},
		},
	}}
}

// opened calls Config.Opened with the editor's tools and the MCP servers of a
// session.
func (s *Server) opened(made bellcord.Session, cwd string, servers []MCPServer) {
	tell := s.config.Load().Opened
	if tell == nil {
		return
	}
	s.mu.Lock()
	tools := s.offers
	s.mu.Unlock()
	if s.config.Load().Network != nil {
		tools = EditorTools{} // a turn outlives the connection
	}
	tools.conn, tools.session = s.conn, s.clientIDOf(made.ID)
	tools.dir, tools.cwd = made.Dir, cwd
	tell(made.ID, &tools, servers)
}

func (s *Server) newSession(ctx context.Context, params json.RawMessage) answer {
	p, err := decode[acp.NewSessionRequest](params)
	if err != nil {
		return failure(err)
	}
	hub, err := s.ready()
	if err != nil {
		return failure(err)
	}
	made, err := s.makeSession(ctx, hub, p)
	if err != nil {
		return failure(err)
	}
	s.opened(made, p.Cwd, p.McpServers)
	sess := s.open(hub, made.ID)
	sess.choose(p.Meta)
	s.work.Go(sess.follow)
	agents, err := s.openHosted(ctx, sess, made, params)
	if err != nil {
		return failure(errors.Join(passError(err), s.discard(ctx, sess)))
	}
	if agents != nil {
		agents.Set("sessionId", made.ID)
		return answer{result: agents, then: sess.sendSettings}
	}
	settings := s.settings(made)
	result := acp.NewSessionResponse{SessionID: string(made.ID), Modes: settings.Modes, ConfigOptions: settings.ConfigOptions, Meta: s.placeMeta(made)}
	return answer{result: result, then: sess.sendCommands}
}

// discard deletes a session that its agent could not open.
func (s *Server) discard(ctx context.Context, sess *session) error {
	cause := s.cause(bellcord.CausePerson, acp.MethodNewSession)
	if a := sess.closeSession(ctx, cause); a.err != nil {
		return a.err
	}
	return sess.hub.DeleteSession(ctx, sess.id, cause)
}

// loadSession replays the whole conversation before it replies.
func (s *Server) loadSession(ctx context.Context, params json.RawMessage) answer {
	return s.reopen(ctx, params, (*session).replay)
}

// resumeSession continues the conversation without replaying it. If the client
// already had it open, events that it has not seen are sent. If the client
// sends a position, everything after that position is sent.
func (s *Server) resumeSession(ctx context.Context, params json.RawMessage) answer {
	return s.reopen(ctx, params, (*session).resume)
}

func (s *Server) reopen(ctx context.Context, params json.RawMessage, catchUp func(*session, context.Context, acp.Meta) error) answer {
	p, err := decode[acp.LoadSessionRequest](params)
	if err != nil {
		return failure(err)
	}
	hub, err := s.ready()
	if err != nil {
		return failure(err)
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	found, err := s.findOrAdopt(ctx, hub, p)
	if err != nil {
		return failure(err)
	}
	s.opened(found, p.Cwd, p.McpServers)
	sess := s.open(hub, found.ID)
	sess.choose(p.Meta)
	if err := catchUp(sess, ctx, p.Meta); err != nil {
		s.work.Go(sess.follow) // continues at the old position, or from the start
		return failure(err)
	}
	var result any = s.settings(found)
	agents, err := s.openHosted(ctx, sess, found, params)
	switch {
	case err != nil:
		s.config.Load().Logger.Warn("the agent's settings are not available", "session", found.ID, "err", err)
	case agents != nil:
		result = agents
	}
	sess.view.resumed()
	return answer{result: result, then: func() {
		sess.sendSettings()
		sess.reopenDialogs()
		s.work.Go(sess.follow)
	}}
}

const sessionsPerPage = 50

func (s *Server) listSessions(ctx context.Context, params json.RawMessage) answer {
	p, err := decode[acp.ListSessionsRequest](params)
	if err != nil {
		return failure(err)
	}
	query := s.listQuery(p.Cwd)
	if next, agents := strings.CutPrefix(p.Cursor, agentCursor); agents {
		p.Cursor = next
		return s.listAgentSessions(ctx, p, nil)
	}
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
		if query.Dir != "" {
			v.Dir = p.Cwd // as the editor names it
		}
		result.Sessions[i] = acp.SessionInfo{SessionID: string(v.ID), Cwd: v.Dir, Title: visible.Text(v.Title), UpdatedAt: v.Updated.UTC().Format(acp.TimeFormat), AdditionalDirectories: v.AdditionalDirs}
	}
	if len(found) == sessionsPerPage {
		last := found[len(found)-1]
		result.NextCursor = strconv.FormatInt(last.Updated.UnixNano(), 10) + " " + string(last.ID)
	}
	if c := s.config.Load(); result.NextCursor == "" && c.Hosted != nil && c.Network == nil {
		p.Cursor = ""
		return s.listAgentSessions(ctx, p, result.Sessions)
	}
	return answer{result: result}
}

// listAgentSessions returns a page with Bellcord's last sessions and the agent's
// own. If the agent has no list, the page has only Bellcord's.
func (s *Server) listAgentSessions(ctx context.Context, p acp.ListSessionsRequest, ours []acp.SessionInfo) answer {
	hub, err := s.ready()
	if err != nil {
		return failure(err)
	}
	page, err := s.agentSessions(ctx, hub, p)
	if err != nil {
		return answer{result: acp.ListSessionsResponse{Sessions: ours}}
	}
	all := make([]any, len(ours))
	for i, one := range ours {
		all[i] = one
	}
	var agents []json.RawMessage
	_ = json.Unmarshal(page["sessions"], &agents) // set by agentSessions
	for _, one := range agents {
		all = append(all, one)
	}
	page.Set("sessions", all)
	return answer{result: page}
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
	if err := s.settleTurns(ctx, cause); err != nil {
		return failure(stillStopping(err))
	}
	if err := s.book.awaitOwedAnswers()(ctx); err != nil {
		return failure(err)
	}
	s.server.mu.Lock()
	delete(s.server.sessions, s.id)
	s.server.mu.Unlock()
	s.unfollow(errGone)
	s.stopWatching()
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
	return answer{result: struct{}{}, err: stillStopping(s.removeSession(ctx, hub, p.SessionID, cause))}
}
