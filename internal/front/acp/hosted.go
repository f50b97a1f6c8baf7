package acp

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// Hosted is the hosted agent of new sessions, without its turns: the handshake,
// and the settings of sessions. It carries no text, no tool calls and no stops.
type Hosted interface {
	// Initialize passes the client's initialize on to the agent and returns
	// the agent's reply, or nil if the agent has none.
	Initialize(ctx context.Context, params json.RawMessage) (json.RawMessage, error)
	// Open opens the agent's session. params are those of the client's request.
	// It returns the agent's reply, or nil if the agent has none. Client
	// receives what the agent sends outside of turns.
	Open(ctx context.Context, s bellcord.Session, params json.RawMessage, client HostedClient) (json.RawMessage, error)
	// Settings returns the updates that describe the session's settings.
	Settings(id bellcord.SessionID) []json.RawMessage
	// Request sends a request to the agent of a session, or to the agent
	// outside of sessions if id is "". In a session, the session id in the
	// parameters is replaced with the agent's.
	Request(ctx context.Context, id bellcord.SessionID, method string, params json.RawMessage) (json.RawMessage, error)
	// Release ends the agent's process of a session in which no turn runs, unless
	// other sessions share it: then the session leaves it. The next prompt or request
	// uses another one. It reports whether the session had a process.
	Release(id bellcord.SessionID) bool
	// Notify sends a notification to the agent of a session. Own replaces the
	// session id.
	Notify(id bellcord.SessionID, method string, params json.RawMessage, own bool)
}

// HostedClient receives what a hosted agent sends outside of turns.
type HostedClient interface {
	ID() string // the client's id of the session
	Update(update json.RawMessage)
	Request(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	Notify(method string, params json.RawMessage)
}

// hostedAgent returns the hosted agent of a session, or nil.
func (s *Server) hostedAgent(v bellcord.Session) Hosted {
	c := s.config.Load()
	if v.Agent == "" || v.Agent != c.Agent {
		return nil
	}
	return c.Hosted
}

// initializeHosted returns the agent's capabilities together with those that
// Bellcord adds.
func (s *Server) initializeHosted(ctx context.Context, params json.RawMessage) answer {
	own := s.initialize(params)
	if own.err != nil {
		return own
	}
	reply, err := s.config.Load().Hosted.Initialize(ctx, params)
	if err != nil {
		return failure(passError(err))
	}
	if reply == nil {
		return own
	}
	s.noteOffers(reply)
	agent, ours := acp.MembersOf(reply), own.result.(acp.InitializeResponse)
	can := acp.MembersOf(agent["agentCapabilities"])
	sessions, prompts := acp.MembersOf(can["sessionCapabilities"]), acp.MembersOf(can["promptCapabilities"])
	for _, method := range []string{"list", "resume", "close", "delete"} {
		sessions.Set(method, struct{}{})
	}
	prompts.Set("embeddedContext", true)
	can.Set("sessionCapabilities", sessions)
	can.Set("promptCapabilities", prompts)
	can.Set("loadSession", true)
	agent.Set("agentCapabilities", can)
	agent.Set("protocolVersion", acp.Version)
	if len(agent["agentInfo"]) == 0 {
		agent.Set("agentInfo", ours.AgentInfo)
	}
	if methods := agent["authMethods"]; len(methods) > 0 {
		agent.Set("authMethods", terminalLogins(methods))
	}
	meta := acp.MembersOf(agent["_meta"])
	meta.Set("bellcord/version", ours.AgentInfo.Version)
	agent.Set("_meta", meta)
	return answer{result: agent}
}

// terminalLogins returns an agent's login methods. A client runs a login in a
// terminal with its command for the agent, which is bellcord acp, and the
// method's arguments: bellcord acp passes arguments after -- on to the agent.
func terminalLogins(methods json.RawMessage) any {
	var all []acp.Members
	if json.Unmarshal(methods, &all) != nil {
		return methods
	}
	for _, m := range all {
		if string(m["type"]) == `"terminal"` {
			var args []string
			_ = json.Unmarshal(m["args"], &args) // none if it is absent
			m.Set("args", append([]string{"--"}, args...))
		}
	}
	return all
}

// openHosted opens the agent's session and returns the reply to session/new,
// load or resume: the agent's, with Bellcord's mode as one more option. It
// returns nil if the session has no agent with settings.
func (s *Server) openHosted(ctx context.Context, sess *session, v bellcord.Session, params json.RawMessage) (acp.Members, error) {
	hosted := s.hostedAgent(v)
	if hosted == nil {
		return nil, nil
	}
	reply, err := hosted.Open(ctx, v, params, hostedClient{sess})
	if err != nil || reply == nil {
		return nil, err
	}
	s.mu.Lock()
	sess.settingsFromAgent = true
	s.mu.Unlock()
	result := acp.MembersOf(reply)
	delete(result, "sessionId")
	sess.keepModes(result)
	sess.setAgentOptions(result["configOptions"])
	result.Set("configOptions", s.withMode(sess.withAgentModes(result["configOptions"]), v))
	return result, nil
}

// Bellcord's permission mode among the options of a hosted agent.
const (
	modeOption   = "bellcord_mode"
	modeCategory = "_bellcord"
)

// withMode adds Bellcord's permission mode to an agent's options.
func (s *Server) withMode(options json.RawMessage, v bellcord.Session) []any {
	var all []any
	var agents []json.RawMessage
	_ = json.Unmarshal(options, &agents) // absent if the agent has none
	for _, o := range agents {
		all = append(all, o)
	}
	mode := s.options(v)[0]
	mode.ID, mode.Name, mode.Category = modeOption, "Bellcord: permissions", modeCategory
	return append(all, mode)
}

// merged returns an agent's members with Bellcord's.
func merged(agent json.RawMessage, own any) any {
	if len(agent) == 0 {
		return own
	}
	data, err := json.Marshal(own)
	if err != nil {
		return own
	}
	all, ours := acp.MembersOf(agent), acp.MembersOf(data)
	if meta := acp.MembersOf(all["_meta"]); len(meta) > 0 {
		maps.Copy(meta, acp.MembersOf(ours["_meta"]))
		ours.Set("_meta", meta)
	}
	maps.Copy(all, ours)
	return all
}

// commandNamesOf returns the names of an agent's commands.
func commandNamesOf(agents []json.RawMessage) (names []string) {
	for _, c := range agents {
		var one acp.AvailableCommand
		if acp.Decode(c, &one) == nil {
			names = append(names, one.Name)
		}
	}
	slices.Sort(names)
	return names
}
