package acp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// initialize answers without touching the store. We speak version 1, whatever
// is asked for.
func (s *Server) initialize(m jsonrpc.Message) answer {
	p, err := decode[struct {
		ClientInfo         *struct{ Name, Title string } `json:"clientInfo"`
		ClientCapabilities struct {
			FS struct {
				ReadTextFile  bool `json:"readTextFile"`
				WriteTextFile bool `json:"writeTextFile"`
			} `json:"fs"`
			Terminal bool `json:"terminal"`
		} `json:"clientCapabilities"`
	}](m.Params)
	if err != nil {
		return failure(err)
	}
	can := p.ClientCapabilities
	s.mu.Lock()
	s.offers = Desk{Reads: can.FS.ReadTextFile, Writes: can.FS.WriteTextFile, Terminals: can.Terminal, conn: s.conn}
	s.mu.Unlock()
	if p.ClientInfo != nil && p.ClientInfo.Name != "" {
		s.client.Store(p.ClientInfo.Name)
	}
	return answer{result: obj{
		"protocolVersion": 1,
		"agentInfo":       obj{"name": "bellcord", "title": "Bellcord", "version": s.config.Load().Version},
		"authMethods":     authMethods(),
		"agentCapabilities": obj{
			"loadSession":         true,
			"promptCapabilities":  obj{"image": true, "audio": false, "embeddedContext": true},
			"mcpCapabilities":     obj{"http": true, "sse": false},
			"sessionCapabilities": obj{"list": obj{}, "resume": obj{}, "close": obj{}, "delete": obj{}},
		},
	}}
}

type sessionParams struct {
	SessionID bellcord.SessionID `json:"sessionId"`
	Cwd       string             `json:"cwd"`
	Cursor    string             `json:"cursor"`
	Servers   []MCPServer        `json:"mcpServers"`
}

// opened tells whoever wants to know what the session comes with.
func (s *Server) opened(id bellcord.SessionID, servers []MCPServer) {
	tell := s.config.Load().Opened
	if tell == nil {
		return
	}
	s.mu.Lock()
	desk := s.offers
	s.mu.Unlock()
	desk.conn, desk.session = s.conn, id
	tell(id, &desk, servers)
}

func (s *Server) newSession(ctx context.Context, params json.RawMessage) answer {
	p, err := decode[sessionParams](params)
	if err != nil {
		return failure(err)
	}
	if !filepath.IsAbs(p.Cwd) {
		return failure(invalid("cwd is not an absolute path"))
	}
	hub, err := s.ready()
	if err != nil {
		return failure(err)
	}
	usual := s.config.Load()
	made, err := hub.NewSession(ctx, bellcord.Session{Dir: p.Cwd, Agent: usual.Agent, Model: usual.Model, Mode: usual.Mode})
	if err != nil {
		return failure(err)
	}
	s.opened(made.ID, p.Servers)
	sess := s.open(hub, made.ID)
	s.work.Go(sess.follow)
	result := s.settings(made)
	result["sessionId"] = made.ID
	return answer{result: result, then: sess.tellCommands}
}

// loadSession replays the whole conversation before it answers.
func (s *Server) loadSession(ctx context.Context, params json.RawMessage) answer {
	return s.reopen(ctx, params, (*session).replay)
}

// resumeSession goes on where the conversation is, without showing it; where
// the client has it open, with what it has not seen.
func (s *Server) resumeSession(ctx context.Context, params json.RawMessage) answer {
	return s.reopen(ctx, params, (*session).skip)
}

func (s *Server) reopen(ctx context.Context, params json.RawMessage, catchUp func(*session, context.Context) error) answer {
	p, err := decode[sessionParams](params)
	if err != nil {
		return failure(err)
	}
	if !filepath.IsAbs(p.Cwd) {
		return failure(invalid("cwd is not an absolute path"))
	}
	hub, err := s.ready()
	if err != nil {
		return failure(err)
	}
	s.opening.Lock()
	defer s.opening.Unlock()
	found, err := hub.OpenSession(ctx, p.SessionID)
	if err != nil {
		return failure(err)
	}
	if found.Dir != p.Cwd {
		if found, err = hub.Configure(found.ID, bellcord.Configured{Dir: p.Cwd}); err != nil {
			return failure(err)
		}
	}
	s.opened(found.ID, p.Servers)
	sess := s.open(hub, found.ID)
	if err := catchUp(sess, ctx); err != nil {
		s.work.Go(sess.follow) // it goes on as it was, or from the start
		return failure(err)
	}
	return answer{result: s.settings(found), then: func() {
		sess.tellCommands()
		s.work.Go(sess.follow)
	}}
}

const sessionsPerPage = 50

func (s *Server) listSessions(ctx context.Context, params json.RawMessage) answer {
	p, err := decode[sessionParams](params)
	if err != nil {
		return failure(err)
	}
	query := bellcord.SessionQuery{Dir: p.Cwd, Limit: sessionsPerPage}
	if p.Cursor != "" {
		at, id, _ := strings.Cut(p.Cursor, " ")
		nanos, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return failure(invalid("cursor is not one of ours"))
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
	infos := make([]obj, len(found))
	for i, v := range found {
		infos[i] = obj{"sessionId": v.ID, "cwd": v.Dir, "updatedAt": v.Updated.UTC().Format(timeFormat)}
		if v.Title != "" {
			infos[i]["title"] = v.Title
		}
	}
	result := obj{"sessions": infos}
	if len(found) == sessionsPerPage {
		last := found[len(found)-1]
		result["nextCursor"] = strconv.FormatInt(last.Updated.UnixNano(), 10) + " " + string(last.ID)
	}
	return answer{result: result}
}

// closeSession stops the session's turns at once, in wire order, and answers
// after their prompts have been answered.
func (s *Server) closeSession(m jsonrpc.Message) {
	p, err := decode[sessionParams](m.Params)
	if err != nil {
		s.reply(m.ID, failure(err))
		return
	}
	sess, err := s.session(p.SessionID)
	if err != nil {
		s.reply(m.ID, failure(err))
		return
	}
	cause := s.cause(bellcord.Person, "session/close")
	sess.hub.Stop(bellcord.StopRequest{Session: sess.id, Cause: cause, Queue: bellcord.Drop})
	s.work.Go(func() { s.reply(m.ID, sess.close(context.Background(), cause)) })
}

func (s *session) close(ctx context.Context, cause bellcord.Cause) answer {
	if _, err := s.hub.CloseSession(ctx, s.id, cause); err != nil {
		return failure(err)
	}
	if err := s.book.answered()(ctx); err != nil {
		return failure(err)
	}
	s.server.mu.Lock()
	delete(s.server.sessions, s.id)
	s.server.mu.Unlock()
	s.unfollow(errGone)
	if closed := s.server.config.Load().Closed; closed != nil {
		closed(s.id)
	}
	return answer{result: obj{}}
}

// deleteSession succeeds for a session that does not exist.
func (s *Server) deleteSession(ctx context.Context, params json.RawMessage) answer {
	p, err := decode[sessionParams](params)
	if err != nil {
		return failure(err)
	}
	hub, err := s.ready()
	if err != nil {
		return failure(err)
	}
	cause := s.cause(bellcord.Person, "session/delete")
	if sess, err := s.session(p.SessionID); err == nil {
		if a := sess.close(ctx, cause); a.err != nil {
			return a
		}
	}
	return answer{result: obj{}, err: hub.DeleteSession(ctx, p.SessionID, cause)}
}
