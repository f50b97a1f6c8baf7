package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
)

// adoptedID returns the id of the Bellcord session for an agent's own session.
// The same agent session always has the same id.
func adoptedID(agent, own string) bellcord.SessionID {
	return bellcord.SessionID(bellcord.NamedID("session of agent " + agent + " " + own))
}

// findOrAdopt opens a session by the client's id: one of Bellcord's, or one that
// the hosted agent had before. The conversation of such a session is recorded
// when it is first opened.
func (s *Server) findOrAdopt(ctx context.Context, hub *hub.Hub, p acp.LoadSessionRequest) (bellcord.Session, error) {
	found, err := s.findSession(ctx, hub, p)
	c := s.config.Load()
	if !errors.Is(err, bellcord.ErrNoSession) || c.Hosted == nil || c.Network != nil {
		return found, err
	}
	own := p.SessionID
	p.SessionID = string(adoptedID(c.Agent, own))
	if found, err = s.findSession(ctx, hub, p); err == nil {
		s.alias(own, found.ID)
		return found, nil
	}
	if !errors.Is(err, bellcord.ErrNoSession) {
		return found, err
	}
	return s.adoptSession(ctx, hub, own, p)
}

// adoptSession creates the Bellcord session for an agent's own session and
// records its conversation, in a separate turn.
func (s *Server) adoptSession(ctx context.Context, hub *hub.Hub, own string, p acp.LoadSessionRequest) (bellcord.Session, error) {
	c := s.config.Load()
	made, err := hub.NewSession(ctx, bellcord.Session{
		ID: adoptedID(c.Agent, own), Owner: c.Owner, Dir: p.Cwd, AdditionalDirs: p.AdditionalDirectories, Agent: c.Agent, Model: c.Model, Mode: c.Mode,
	})
	if err != nil {
		return made, err
	}
	turn, err := hub.Prompt(made.ID, bellcord.Prompt{Task: bellcord.TaskImport, Text: own})
	if err == nil {
		select {
		case <-turn.Settled():
			if r := turn.Receipt(); r.End != bellcord.EndDone {
				err = fmt.Errorf("%w: %s", bellcord.ErrNoSession, r.Error)
			}
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		cause := s.cause(bellcord.CausePerson, acp.MethodLoadSession)
		return made, errors.Join(err, hub.DeleteSession(context.WithoutCancel(ctx), made.ID, cause))
	}
	s.alias(own, made.ID)
	return made, nil
}

// alias makes a session known by the client's id.
func (s *Server) alias(client string, id bellcord.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aliases == nil {
		s.aliases = map[string]bellcord.SessionID{}
	}
	s.aliases[client] = id
}

// clientIDOf returns the id that the client uses for a session.
func (s *Server) clientIDOf(id bellcord.SessionID) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for client, known := range s.aliases {
		if known == id {
			return client
		}
	}
	return string(id)
}

// forkSession passes a fork on to the hosted agent. The new session is one of
// the agent's own sessions.
func (s *Server) forkSession(ctx context.Context, params json.RawMessage) answer {
	p, err := decode[acp.LoadSessionRequest](params)
	if err != nil {
		return failure(err)
	}
	c := s.config.Load()
	sess, err := s.session(p.SessionID)
	if err != nil {
		return failure(err)
	}
	reply, err := c.Hosted.Request(ctx, sess.id, acp.UnstableForkSession, params)
	if err != nil {
		return failure(passError(err))
	}
	var forked acp.NewSessionResponse
	if err := acp.Decode(reply, &forked); err != nil || forked.SessionID == "" {
		return failure(errors.New("the agent returned no session id"))
	}
	made, err := s.adoptSession(ctx, sess.hub, forked.SessionID, p)
	if err != nil && c.Hosted.Release(sess.id) { // some agents keep the copy locked in the process that made it
		made, err = s.adoptSession(ctx, sess.hub, forked.SessionID, p)
	}
	if err != nil {
		return failure(err)
	}
	s.opened(made, p.Cwd, p.McpServers)
	copied := s.open(sess.hub, made.ID)
	if copied.at, err = sess.hub.Tail(ctx, made.ID); err != nil {
		return failure(err)
	}
	s.work.Go(copied.follow)
	result, err := s.openHosted(ctx, copied, made, params)
	if err != nil {
		return failure(passError(err))
	}
	if result == nil {
		result = acp.Members{}
	}
	result.Set("sessionId", forked.SessionID)
	return answer{result: result, then: copied.sendSettings}
}

// agentCursor begins the cursor of a page with the agent's own sessions.
const agentCursor = "agent "

// agentSessions returns a page of the agent's own sessions that Bellcord does
// not have.
func (s *Server) agentSessions(ctx context.Context, hub *hub.Hub, p acp.ListSessionsRequest) (acp.Members, error) {
	c := s.config.Load()
	params, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	reply, err := c.Hosted.Request(ctx, "", acp.MethodListSessions, params)
	if err != nil {
		return nil, err
	}
	page := acp.MembersOf(reply)
	var rows, own []json.RawMessage
	_ = json.Unmarshal(page["sessions"], &rows) // none if it is not a list
	for _, row := range rows {
		var info acp.SessionInfo
		if acp.Decode(row, &info) != nil || s.has(ctx, hub, info.SessionID) {
			continue
		}
		own = append(own, row)
	}
	page.Set("sessions", own)
	var next string
	_ = json.Unmarshal(page["nextCursor"], &next)
	delete(page, "nextCursor")
	if next != "" {
		page.Set("nextCursor", agentCursor+next)
	}
	return page, nil
}

// has reports whether Bellcord has the session for an agent's own session.
func (s *Server) has(ctx context.Context, hub *hub.Hub, own string) bool {
	c := s.config.Load()
	if _, err := hub.Session(ctx, adoptedID(c.Agent, own)); err == nil {
		return true
	}
	return s.recorded.has(ctx, hub, c.Agent, own)
}
