package acp

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/acp"
	"github.com/bellcord/bellcord/internal/front/slash"
)

// ownPrefix precedes the name of a command of Bellcord in a session with a
// hosted agent, because all other commands are the agent's.
const ownPrefix = "bellcord-"

// hostedCommands are Bellcord's commands in a session with a hosted agent. If the
// agent has one of the same name, Bellcord's needs the prefix.
var hostedCommands = []string{"stop", "changes", "undo", "redo", "rewind"}

// ownCommands returns Bellcord's commands. taken are the names of the agent's
// commands.
func ownCommands(taken []string) []acp.AvailableCommand {
	var own []acp.AvailableCommand
	for _, c := range commands {
		if !slices.Contains(hostedCommands, c.Name) {
			continue
		}
		if slices.Contains(taken, c.Name) {
			c.Name = ownPrefix + c.Name
		}
		own = append(own, c)
	}
	return own
}

// parseCommand returns the command of Bellcord in a prompt, or the text for the
// agent. In a session whose settings are the agent's, the agent's commands keep
// their names: hostedCommands and names with the prefix bellcord- are Bellcord's.
func (s *session) parseCommand(text string, hosted bool) (*slash.Command, string, error) {
	if !s.agentModes() {
		return commandNames.Parse(text, hosted)
	}
	word, rest, _ := strings.Cut(text, " ")
	name, slashed := strings.CutPrefix(word, "/")
	own, prefixed := strings.CutPrefix(name, ownPrefix)
	switch {
	case slashed && prefixed && slices.Contains(commandNames, own):
		return &slash.Command{Name: own, Rest: strings.TrimSpace(rest)}, "", nil
	case slashed && slices.Contains(hostedCommands, name) && !s.agentHas(name):
		return &slash.Command{Name: name, Rest: strings.TrimSpace(rest)}, "", nil
	}
	return nil, text, nil
}

// setAgentCommands stores the names of the agent's commands.
func (s *session) setAgentCommands(names []string) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.agentCommands = names
}

func (s *session) agentHas(name string) bool {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return slices.Contains(s.agentCommands, name)
}
