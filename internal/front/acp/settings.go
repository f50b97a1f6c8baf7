package acp

import (
	"fmt"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

var modes = []acp.SessionMode{
	{ID: "read-only", Name: "Read only", Description: "Makes no changes"},
	{ID: "ask", Name: "Ask", Description: "Reads without asking, asks before any change"},
	{ID: "auto-edit", Name: "Auto edit", Description: "Edits files without asking, asks before commands and network access"},
	{ID: "full", Name: "Full", Description: "Never asks"},
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
	}
	return options
}

func (s *Server) setMode(m jsonrpc.Message) answer {
	p, err := decode[acp.SetSessionModeRequest](m.Params)
	if err != nil {
		return failure(err)
	}
	_, err = s.configure(p.SessionID, bellcord.SessionUpdated{Mode: p.ModeID}, nil)
	return answer{result: struct{}{}, err: err}
}

func (s *Server) setOption(m jsonrpc.Message) answer {
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
	default:
		return failure(invalid(fmt.Sprintf("unknown option %q (use mode or model)", p.ConfigID)))
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
	case change.Mode == "" && change.Model == "":
		return v, invalid("the value is empty")
	case change.Mode != "" && !isMode(change.Mode):
		return v, invalid(fmt.Sprintf("unknown mode %q (use read-only, ask, auto-edit or full)", change.Mode))
	case change.Model == "" || change.Model == v.Model || slices.Contains(s.config.Load().Models, change.Model):
	case check == nil:
		return v, invalid(fmt.Sprintf("unknown model %q", change.Model))
	default:
		if err := check(change.Model); err != nil {
			return v, err
		}
	}
	return sess.hub.Configure(sess.id, change)
}
