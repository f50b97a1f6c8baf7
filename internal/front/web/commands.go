package web

import (
	"errors"
	"fmt"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/slash"
)

// routesOf contains the requests that are equivalent to a command.
var routesOf = map[string]string{
	"stop":  "POST /v1/sessions/{session}/stop",
	"clear": "POST /v1/sessions/{session}/clear",
	"model": "PATCH /v1/sessions/{session}",
	"mode":  "PATCH /v1/sessions/{session}",
}

// promptText returns the text that a prompt sends to the session's model. It
// refuses commands, so that they never reach a model.
func promptText(message string, session bellcord.Session) (string, error) {
	text, err := slash.Prompt(message, session.Agent != "")
	var command *slash.CommandError
	if errors.As(err, &command) && routesOf[command.Name] != "" {
		return "", fmt.Errorf("%w, or use %s", err, routesOf[command.Name])
	}
	return text, err
}
