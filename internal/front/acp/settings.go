package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

var modes = []acp.SessionMode{
	{ID: "read-only", Name: "Read only", Description: "Makes no changes"},
	{ID: "ask", Name: "Ask first", Description: "Reads without asking, asks before any change"},
	{ID: "auto-edit", Name: "Edit files, ask for the rest", Description: "Edits files without asking, asks before commands and network access"},
	{ID: "full", Name: "Everything without asking", Description: "Never asks"},
}

func isMode(id string) bool {
	return slices.ContainsFunc(modes, func(m acp.SessionMode) bool { return m.ID == id })
}

// settings returns the settings for the replies to new, load and resume. The
// mode is included twice, because older clients support only modes.
func (s *Server) settings(v bellcord.Session) acp.LoadSessionResponse {
	return acp.LoadSessionResponse{
		Modes:         &acp.SessionModeState{CurrentModeID: v.Mode, AvailableModes: modes},
		ConfigOptions: s.options(v),
	}
}

// options returns the complete list, which every reply and update must contain.
func (s *Server) options(v bellcord.Session) []acp.SessionConfigOption {
	models := s.config.Load().Models
	if !slices.Contains(models, v.Model) {
		models = append([]string{v.Model}, models...)
	}
	modelChoices := make([]acp.SessionConfigSelectOption, len(models))
	for i, m := range models {
		modelChoices[i] = acp.SessionConfigSelectOption{Value: m, Name: m}
	}
	modeChoices := make([]acp.SessionConfigSelectOption, len(modes))
	for i, m := range modes {
		modeChoices[i] = acp.SessionConfigSelectOption{Value: m.ID, Name: m.Name, Description: m.Description}
	}
	options := []acp.SessionConfigOption{
		{ID: "mode", Name: "Mode", Category: "mode", Type: "select", CurrentValue: v.Mode, Options: modeChoices},
	}
	if v.Agent == "" { // a hosted agent chooses its model
		options = append(options, acp.SessionConfigOption{ID: "model", Name: "Model", Category: "model", Type: "select", CurrentValue: v.Model, Options: modelChoices})
		options = append(options, s.effortOption(v)...)
	}
	return options
}

// setMode changes the mode: the hosted agent's, if the session's settings are the
// agent's, otherwise Bellcord's.
func (s *Server) setMode(m jsonrpc.Message) {
	p, err := decode[acp.SetSessionModeRequest](m.Params)
	if sess, _ := s.session(p.SessionID); sess != nil && sess.agentModes() && err == nil {
		s.pass(m)
		return
	}
	s.sendReply(m.ID, s.setOwnMode(m))
}

func (s *Server) setOwnMode(m jsonrpc.Message) answer {
	p, err := decode[acp.SetSessionModeRequest](m.Params)
	if err != nil {
		return failure(err)
	}
	_, err = s.configure(p.SessionID, bellcord.SessionUpdated{Mode: p.ModeID}, nil)
	return answer{result: struct{}{}, err: err}
}

// setOption changes an option: Bellcord's or, if the session's settings are the
// agent's, one of the hosted agent.
func (s *Server) setOption(m jsonrpc.Message) {
	var p struct {
		SessionID string `json:"sessionId"`
		ConfigID  string `json:"configId"`
	}
	_ = json.Unmarshal(m.Params, &p) // setOwnOption reports the error
	sess, _ := s.session(p.SessionID)
	switch {
	case sess == nil || !sess.agentModes():
		s.sendReply(m.ID, s.setOwnOption(m))
	case p.ConfigID == modeOption:
		s.later(m, sess.setModeOption)
	case p.ConfigID == agentModeOption && sess.view.modesAsOption():
		s.later(m, sess.setAgentMode)
	default:
		s.later(m, sess.setAgentOption)
	}
}

// setAgentOption passes an option on to the hosted agent.
func (s *session) setAgentOption(ctx context.Context, params json.RawMessage) answer {
	reply, err := s.server.config.Load().Hosted.Request(ctx, s.id, acp.MethodSetConfigOption, params)
	if err != nil {
		return failure(passError(err))
	}
	v, err := s.hub.Configure(s.id, bellcord.SessionUpdated{})
	if err != nil {
		return failure(err)
	}
	result := acp.MembersOf(reply)
	s.setAgentOptions(result["configOptions"])
	result.Set("configOptions", s.server.withMode(s.withAgentModes(result["configOptions"]), v))
	return answer{result: result}
}

// setModeOption changes Bellcord's mode in a session whose settings are the
// agent's.
func (s *session) setModeOption(_ context.Context, params json.RawMessage) answer {
	p, err := decode[acp.SetSessionConfigOptionRequest](params)
	if err != nil {
		return failure(err)
	}
	v, err := s.server.configure(p.SessionID, bellcord.SessionUpdated{Mode: p.Value}, nil)
	if err != nil {
		return failure(err)
	}
	return answer{result: map[string]any{"configOptions": s.server.withMode(s.withAgentModes(s.lastAgentOptions()), v)}}
}

func (s *Server) setOwnOption(m jsonrpc.Message) answer {
	p, err := decode[acp.SetSessionConfigOptionRequest](m.Params)
	if err != nil {
		return failure(err)
	}
	change := bellcord.SessionUpdated{}
	switch p.ConfigID {
	case "mode":
		change.Mode = p.Value
	case "model":
		change.Model = p.Value
	case effortID:
		change.Effort = p.Value
	default:
		return failure(invalid(fmt.Sprintf("unknown option %q (use mode, model or effort)", p.ConfigID)))
	}
	v, err := s.configure(p.SessionID, change, nil)
	if err != nil {
		return failure(err)
	}
	return answer{result: acp.SetSessionConfigOptionResponse{ConfigOptions: s.options(v)}}
}

// configure changes an open session; a running turn keeps the settings it
// started with. check decides about models that are not in Models; if it is
// nil, they are rejected.
func (s *Server) configure(id string, change bellcord.SessionUpdated, check func(string) error) (bellcord.Session, error) {
	sess, err := s.session(id)
	if err != nil {
		return bellcord.Session{}, err
	}
	v, err := sess.hub.Configure(sess.id, bellcord.SessionUpdated{}) // the current settings
	if err != nil {
		return v, err
	}
	switch {
	case change.Mode == "" && change.Model == "" && change.Effort == "":
		return v, invalid("the value is empty")
	case change.Mode != "" && !isMode(change.Mode):
		return v, invalid(fmt.Sprintf("unknown mode %q (use read-only, ask, auto-edit or full)", change.Mode))
	case change.Effort != "" && !slices.Contains(s.efforts(v), change.Effort):
		return v, invalid(fmt.Sprintf("unknown effort %q for the model %s", change.Effort, v.Model))
	case change.Model == "" || change.Model == v.Model || slices.Contains(s.config.Load().Models, change.Model):
	case check == nil:
		return v, invalid(fmt.Sprintf("unknown model %q", change.Model))
	default:
		if err := check(change.Model); err != nil {
			return v, err
		}
	}
	return s.configureOpen(sess, v, change)
}

// unknownContext is the context size reported for a model of unknown size.
const unknownContext = 128_000

func (s *Server) contextSize(model string) int64 {
	if known := s.config.Load().ContextSize; known != nil {
		if size := known(model); size > 0 {
			return size
		}
	}
	return unknownContext
}
