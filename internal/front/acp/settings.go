package acp

import (
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/jsonrpc"
)

var modes = []obj{
	{"id": "read-only", "name": "Read only", "description": "Changes nothing"},
	{"id": "ask", "name": "Ask", "description": "Looks freely, asks before anything is changed"},
	{"id": "auto-edit", "name": "Auto edit", "description": "Changes files, asks before commands and the network"},
	{"id": "full", "name": "Full", "description": "Asks nothing"},
}

func isMode(id string) bool {
	return slices.ContainsFunc(modes, func(m obj) bool { return m["id"] == id })
}

// settings of a session, as the answers to new, load and resume tell them: the
// mode twice, because older clients know only modes.
func (s *Server) settings(v bellcord.Session) obj {
	return obj{
		"modes":         obj{"currentModeId": v.Mode, "availableModes": modes},
		"configOptions": s.options(v),
	}
}

// options is the complete list, as every answer and update has to tell it.
func (s *Server) options(v bellcord.Session) []obj {
	models := s.config.Load().Models
	if !slices.Contains(models, v.Model) {
		models = append([]string{v.Model}, models...)
	}
	modelChoices := make([]obj, len(models))
	for i, m := range models {
		modelChoices[i] = obj{"value": m, "name": m}
	}
	modeChoices := make([]obj, len(modes))
	for i, m := range modes {
		modeChoices[i] = obj{"value": m["id"], "name": m["name"], "description": m["description"]}
	}
	options := []obj{
		{"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": v.Mode, "options": modeChoices},
	}
	if v.Agent == "" { // a hosted one has a model of its own
		options = append(options, obj{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": v.Model, "options": modelChoices})
	}
	return options
}

func (s *Server) setMode(m jsonrpc.Message) answer {
	p, err := decode[struct {
		SessionID bellcord.SessionID `json:"sessionId"`
		ModeID    string             `json:"modeId"`
	}](m.Params)
	if err != nil {
		return failure(err)
	}
	_, err = s.configure(p.SessionID, bellcord.Configured{Mode: p.ModeID}, nil)
	return answer{result: obj{}, err: err}
}

func (s *Server) setOption(m jsonrpc.Message) answer {
	p, err := decode[struct {
		SessionID bellcord.SessionID `json:"sessionId"`
		ConfigID  string             `json:"configId"`
		Value     string             `json:"value"`
	}](m.Params)
	if err != nil {
		return failure(err)
	}
	change := bellcord.Configured{}
	switch p.ConfigID {
	case "mode":
		change.Mode = p.Value
	case "model":
		change.Model = p.Value
	default:
		return failure(invalid("no option " + p.ConfigID))
	}
	v, err := s.configure(p.SessionID, change, nil)
	if err != nil {
		return failure(err)
	}
	return answer{result: obj{"configOptions": s.options(v)}}
}

// configure changes an open session; a running turn keeps what it started with.
// check says which models there are besides those on offer; nil: none.
func (s *Server) configure(id bellcord.SessionID, change bellcord.Configured, check func(string) error) (bellcord.Session, error) {
	sess, err := s.session(id)
	if err != nil {
		return bellcord.Session{}, err
	}
	v, err := sess.hub.Configure(id, bellcord.Configured{}) // as it is
	if err != nil {
		return v, err
	}
	switch {
	case change.Mode == "" && change.Model == "":
		return v, invalid("no value")
	case change.Mode != "" && !isMode(change.Mode):
		return v, invalid("no mode " + change.Mode)
	case change.Model == "" || change.Model == v.Model || slices.Contains(s.config.Load().Models, change.Model):
	case check == nil:
		return v, invalid("no model " + change.Model)
	default:
		if err := check(change.Model); err != nil {
			return v, err
		}
	}
	return sess.hub.Configure(id, change)
}
