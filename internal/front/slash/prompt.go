package slash

import "strings"

// Reserved contains the commands that no front sends to a model, even if the
// front cannot run them.
var Reserved = Commands{"stop", "clear", "model", "mode", "help"}

// CommandError reports a prompt that is one of the Reserved commands.
type CommandError struct {
	Name string // without the slash
}

// Error implements error.
func (e *CommandError) Error() string {
	return "/" + e.Name + " is a command and is not sent to a model; to send it as text, write //" + e.Name
}

// Prompt returns the text to send for a message on a surface that has no
// commands: the HTTP API and bellcord run. A reserved command is a
// *CommandError, an unknown one an *UnknownError. See Commands.Parse for hosted.
func Prompt(message string, hosted bool) (string, error) {
	command, text, err := Reserved.Parse(message, hosted)
	if command != nil {
		return "", &CommandError{command.Name}
	}
	return text, err
}

// Escape returns the message that Parse and Prompt turn back into text.
func Escape(text string) string {
	if strings.HasPrefix(text, "/") {
		return "/" + text
	}
	return text
}
