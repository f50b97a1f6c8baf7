package acp

import (
	"strings"

	"github.com/bellcord/bellcord"
)

// A command is control, not conversation: it is understood before anything is
// touched, it is no turn, and the model does not hear of it.
var commands = []obj{
	{"name": "help", "description": "Show the commands"},
	{"name": "stop", "description": "Stop what runs and what waits in this session"},
	{"name": "model", "description": "Show or change the model", "input": obj{"hint": "provider/model"}},
	{"name": "mode", "description": "Show or change the mode", "input": obj{"hint": "read-only | ask | auto-edit | full"}},
}

func (s *session) tellCommands() {
	s.update(obj{"sessionUpdate": "available_commands_update", "availableCommands": commands})
}

// command splits "/word rest"; other text that starts with a slash is a prompt.
func command(text string) (word, rest string, is bool) {
	after, slash := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !slash {
		return "", "", false
	}
	word, rest, _ = strings.Cut(after, " ")
	for _, c := range commands {
		if c["name"] == word {
			return word, strings.TrimSpace(rest), true
		}
	}
	return "", "", false
}

func (s *Server) obey(sess *session, word, rest string) answer {
	var said string
	var err error
	switch word {
	case "help":
		for _, c := range commands {
			said += "/" + c["name"].(string) + " — " + c["description"].(string) + "\n"
		}
	case "stop":
		sess.hub.Stop(bellcord.StopRequest{Session: sess.id, Cause: s.cause(bellcord.Person, "/stop"), Queue: bellcord.Drop})
	case "model":
		said, err = s.change(sess.id, bellcord.Configured{Model: rest})
	case "mode":
		said, err = s.change(sess.id, bellcord.Configured{Mode: rest})
	}
	if err != nil {
		said = err.Error()
	}
	if said != "" {
		sess.update(obj{"sessionUpdate": "agent_message_chunk", "content": obj{"type": "text", "text": said}})
	}
	return answer{result: obj{"stopReason": "end_turn"}}
}

// change applies a setting, or shows it when none is given.
func (s *Server) change(id bellcord.SessionID, to bellcord.Configured) (string, error) {
	sess, err := s.session(id)
	if err != nil {
		return "", err
	}
	v, err := sess.hub.Configure(id, bellcord.Configured{})
	if err == nil && (to.Model != "" || to.Mode != "") {
		v, err = s.configure(id, to)
	}
	if err != nil {
		return "", err
	}
	return "model " + v.Model + ", mode " + v.Mode, nil
}
