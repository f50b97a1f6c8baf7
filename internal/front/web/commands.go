package web

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/api"
	"github.com/bellcord/bellcord/internal/front/slash"
)

// routesOf contains the requests that are equivalent to a command.
var routesOf = map[string]string{
	"stop":    "POST /v1/sessions/{session}/stop",
	"clear":   "POST /v1/sessions/{session}/clear",
	"model":   "PATCH /v1/sessions/{session}",
	"mode":    "PATCH /v1/sessions/{session}",
	"compact": "the task compact in POST /v1/sessions/{session}/turns",
}

// taskText returns the text of a prompt as the agent gets it. The message must
// have the form that the task needs.
func taskText(task bellcord.Task, message string, session bellcord.Session) (string, error) {
	switch task {
	case bellcord.TaskCommand:
		if !strings.HasPrefix(message, bellcord.CommandPrefix) {
			return "", badInput("text: a command begins with %s", bellcord.CommandPrefix)
		}
		return message, nil
	case bellcord.TaskCompact:
		keep, is := strings.CutPrefix(message, api.CompactCommand)
		switch {
		case session.Agent != "":
			return "", badInput("task: %s keeps its own conversation; send %s as text, without a task", session.Agent, api.CompactCommand)
		case !is || keep != "" && keep[0] != ' ':
			return "", badInput("text: write %s, or %s and a space and what to keep", api.CompactCommand, api.CompactCommand)
		}
		return strings.TrimSpace(keep), nil
	case bellcord.TaskAnswer, bellcord.TaskImport, bellcord.TaskUnprompted:
	}
	return promptText(message, session)
}

// promptText returns the text that a prompt sends to the session's model. It
// refuses commands, so that they never reach a model.
func promptText(message string, session bellcord.Session) (string, error) {
	text, err := slash.Prompt(message, session.Agent != "")
	name := ""
	var command *slash.CommandError
	var unknown *slash.UnknownError
	switch {
	case errors.As(err, &command):
		name = command.Name
	case errors.As(err, &unknown):
		name = strings.ToLower(unknown.Name)
	}
	if routesOf[name] != "" {
		return "", fmt.Errorf("%w, or use %s", err, routesOf[name])
	}
	return text, err
}
