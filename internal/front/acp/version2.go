package acp

import (
	"encoding/json"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/acp/upgrade"
	"github.com/bellcord/bellcord/internal/acp/v2"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

// negotiate chooses the version of the protocol for a client's initialize.
func (s *Server) negotiate(params json.RawMessage) {
	var chosen version = version1{}
	if upgrade.Offers(params) {
		chosen = version2{s}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = chosen
}

// version2 is the draft of version 2.
type version2 struct{ server *Server }

// stoppedCall implements version.
func (version2) stoppedCall() acp.ToolCallStatus { return v2.CallCancelled }

// view implements version.
func (version2) view(s *session) view { return &stateView{session: s, foreground: newForeground()} }

// receive implements version.
func (v version2) receive(m jsonrpc.Message) (jsonrpc.Message, bool) {
	var err error
	switch m.Method {
	case acp.MethodInitialize:
		m.Params = upgrade.InitializeParams(m.Params)
	case acp.MethodNewSession, acp.MethodResumeSession:
		m, err = withOpenParams(m)
	case acp.MethodSetConfigOption:
		m.Params, err = upgrade.OptionParams(m.Params)
	case v2.MethodLogin:
		m.Method = acp.MethodAuthenticate
	case v2.MethodLogout:
		if v.server.config.Load().Hosted == nil { // there is no login that could end
			v.server.sendReply(m.ID, answer{result: struct{}{}})
			return m, false
		}
		m.Method = methodLogout
	case v2.MethodCancelToolCall:
		v.server.cancelCall(m)
		return m, false
	case v2.MethodCancelTerminal: // no terminal has the capability
		v.server.sendReply(m.ID, failure(invalid("the terminal cannot be cancelled alone")))
		return m, false
	case acp.MethodLoadSession, acp.MethodSetMode, acp.MethodAuthenticate:
		v.server.sendReply(m.ID, failure(&jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "version 2 has no method " + m.Method}))
		return m, false
	}
	if err != nil {
		v.server.sendReply(m.ID, failure(invalid(err.Error())))
		return m, false
	}
	return m, true
}

// methodLogout is the method of version 1 that ends a login.
const methodLogout = "logout"

// withOpenParams returns a request that opens a session as one of version 1. A
// resume with a replay is a load there.
func withOpenParams(m jsonrpc.Message) (jsonrpc.Message, error) {
	params, replay, err := upgrade.OpenParams(m.Params)
	if err != nil {
		return m, err
	}
	m.Params = params
	if replay && m.Method == acp.MethodResumeSession {
		m.Method = acp.MethodLoadSession
	}
	return m, nil
}

// result implements version.
func (version2) result(result any) any {
	switch r := result.(type) {
	case acp.InitializeResponse:
		return upgrade.InitializeResult(r)
	case acp.NewSessionResponse, acp.LoadSessionResponse, acp.SetSessionConfigOptionResponse, map[string]any:
		return upgrade.Opened(r)
	case acp.Members: // a hosted agent's, with Bellcord's additions
		switch {
		case r["protocolVersion"] != nil:
			return upgrade.InitializeResult(r)
		case r["configOptions"] != nil:
			return upgrade.Opened(r)
		}
	}
	return result
}
