package acp

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/secret"
	"github.com/bellcord/bellcord/proc"
)

// shownCommand is a command as it is shown and recorded.
type shownCommand struct {
	Command string            `json:"command"`
	Workdir string            `json:"workdir,omitempty"` // if it is not the session's directory
	Env     map[string]string `json:"env,omitempty"`     // that the agent sets
}

func (t *turn) shownCommand(c proc.Command, env []acp.EnvVariable) shownCommand {
	s := shownCommand{Command: c.Name}
	if filepath.Clean(c.Dir) != filepath.Clean(t.w.Session.Dir) {
		s.Workdir = c.Dir
	}
	for _, v := range env {
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		s.Env[v.Name] = v.Value
		if secret.Named(v.Name) { // the question is recorded
			s.Env[v.Name] = "[secret]"
		}
	}
	return s
}

// question returns the question about a command, with everything that affects what
// it runs before it.
func (s shownCommand) question() string {
	how := ""
	if s.Workdir != "" {
		how += " in " + line(s.Workdir, nil)
	}
	for i, name := range slices.Sorted(maps.Keys(s.Env)) {
		if i == 0 {
			how += " with"
		}
		how += " " + line(name+"="+s.Env[name], nil)
	}
	if how != "" {
		how += ":"
	}
	return "Run" + how + " `" + s.Command + "`?"
}
