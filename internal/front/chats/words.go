package chats

import (
	"maps"
	"slices"
	"strings"

	"github.com/bellcord/bellcord/internal/front/slash"
)

// verb is what a message requests.
type verb string

const (
	prompt   verb = "" // a message for the agent
	stop     verb = "stop"
	stopAll  verb = "stop all"
	instead  verb = "!" // stop, and answer this instead
	clearAll verb = "clear"
	fresh    verb = "new"
	status   verb = "status"
	agent    verb = "agent"
	model    verb = "model"
	sessions verb = "sessions"
	cost     verb = "cost"
	file     verb = "file"
	changes  verb = "changes"
	undo     verb = "undo"
	redo     verb = "redo"
	rewinds  verb = "rewind"
	help     verb = "help"
	start    verb = "start"
	unknown  verb = "?"
)

// Menu lists the commands for the menu of the bot.
var Menu = []Command{
	{Name: "stop", About: "Stop the turn; /stop all also drops queued messages"},
	{Name: "clear", About: "Stop, delete the unfinished answer, start over"},
	{Name: "new", About: "Stop and start a new session"},
	{Name: "status", About: "Show what is running"},
	{Name: "agent", About: "Show or choose the agent"},
	{Name: "model", About: "Show or choose the model"},
	{Name: "sessions", About: "Go back to an earlier session"},
	{Name: "cost", About: "Show what this session and today have cost"},
	{Name: "changes", About: "Show the files that the last turn changed"},
	{Name: "undo", About: "Undo these changes, after a preview"},
	{Name: "redo", About: "Reverse the last undo"},
	{Name: "rewind", About: "Go on as before an earlier turn; files stay"},
	{Name: "help", About: "Show all commands"},
}

var verbs = map[string]verb{
	"stop": stop, "clear": clearAll, "new": fresh, "status": status, "agent": agent, "model": model,
	"sessions": sessions, "cost": cost, "file": file, "changes": changes, "undo": undo, "redo": redo, "rewind": rewinds, "help": help, "start": start,
}

// Parse returns the verb of a message and the text after it. It has no side
// effects.
func Parse(text string) (verb, string) {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.EqualFold(strings.Trim(trimmed, ".! "), "stop"):
		return stop, ""
	case strings.HasPrefix(trimmed, "!") && strings.TrimSpace(trimmed[1:]) != "":
		return instead, strings.TrimSpace(trimmed[1:])
	}
	command, words, err := commands.Parse(text, false)
	switch {
	case err != nil:
		return unknown, strings.TrimSpace(text)
	case command == nil:
		return prompt, strings.TrimSpace(words)
	case command.Name == string(stop) && strings.EqualFold(command.Rest, "all"):
		return stopAll, ""
	}
	return verbs[command.Name], command.Rest
}

// commands are the names of the commands.
var commands = slash.Commands(slices.Sorted(maps.Keys(verbs)))

const helpText = `Send me a message and I'll answer. While I'm working, you can use:

/stop — stop and keep the answer so far (the word "stop" and the Stop button do the same)
/stop all — stop and drop all queued messages
! MESSAGE — stop, drop all queued messages, and answer MESSAGE instead
/clear — stop, delete the unfinished answer, and start a new conversation
/new — stop and start a new session

At any time:

/status — show what is running
/agent, /model, /sessions — show the current one, or choose another
/cost — show what this session and today have cost
/changes — show the files that the last turn changed
/undo — undo these changes; I show a preview and ask first; /undo TURN undoes those of another turn
/redo — reverse the last undo
/rewind — choose a turn, and go on as before it; files stay as they are; /rewind back takes it back
/file PATH — get a file from the session's directory
//command — send "/command" to the agent as text`
