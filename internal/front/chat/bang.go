package chat

import (
	"strings"

	"github.com/bellcord/bellcord"
)

// isCommand reports whether an input is a command for the shell. A space before
// the ! makes it text.
func isCommand(text string) bool { return strings.HasPrefix(text, bellcord.CommandPrefix) }

// runCommand runs a command in the session's directory, without the model. It is
// a turn: it can be queued and stopped.
func (m *Model) runCommand(text string) []Action {
	command := strings.TrimSpace(strings.TrimPrefix(text, bellcord.CommandPrefix))
	switch {
	case command == "":
		m.input.set(text)
		m.setHint("write a command after the !; a space before the ! makes it text")
		return nil
	case m.hosted():
		m.input.set(text)
		m.setHint(m.session.Agent + " runs its own commands: ! works only in sessions of the built-in agent")
		return nil
	}
	return m.sendPrompt(bellcord.TaskCommand, bellcord.CommandPrefix+command)
}

// editCommand changes a queued command. It stays a command, so that no text
// becomes a command by an edit.
func (m *Model) editCommand(turn bellcord.TurnID, text string) []Action {
	if !isCommand(text) || strings.TrimSpace(strings.TrimPrefix(text, bellcord.CommandPrefix)) == "" {
		m.setHint("a queued command stays a command: begin it with !, or delete it and send the text")
		return nil
	}
	m.clearInput()
	return []Action{Edit{turn, strings.TrimSpace(text)}}
}
