package telegram

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/bellcord/bellcord/internal/front/slash"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// verb is what a message requests.
type verb string

const (
	prompt    verb = "" // a message for the agent
	stop      verb = "stop"
	stopAll   verb = "stop all"
	instead   verb = "!" // stop, and answer this instead
	clearAll  verb = "clear"
	fresh     verb = "new"
	status    verb = "status"
	agent     verb = "agent"
	model     verb = "model"
	sessions  verb = "sessions"
	cost      verb = "cost"
	file      verb = "file"
	help      verb = "help"
	start     verb = "start"
	unknown   verb = "?"
	elsewhere verb = "-" // for another bot
)

// menu is the command menu that Telegram shows.
var menu = []wire.Command{
	{Name: "stop", About: "Stop the turn; /stop all also drops queued messages"},
	{Name: "clear", About: "Stop, delete the unfinished answer, start over"},
	{Name: "new", About: "Stop and start a new session"},
	{Name: "status", About: "Show what is running"},
	{Name: "agent", About: "Show or choose the agent"},
	{Name: "model", About: "Show or choose the model"},
	{Name: "sessions", About: "Go back to an earlier session"},
	{Name: "cost", About: "Show what this session and today have cost"},
	{Name: "help", About: "Show all commands"},
}

var verbs = map[string]verb{
	"stop": stop, "clear": clearAll, "new": fresh, "status": status, "agent": agent, "model": model,
	"sessions": sessions, "cost": cost, "file": file, "help": help, "start": start,
}

// parse returns the verb of a message and the text after it. It has no side
// effects. bot is the bot's username, which commands in groups may contain.
func parse(text, bot string) (verb, string) {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.EqualFold(strings.Trim(trimmed, ".! "), "stop"):
		return stop, ""
	case strings.HasPrefix(trimmed, "!") && strings.TrimSpace(trimmed[1:]) != "":
		return instead, strings.TrimSpace(trimmed[1:])
	}
	text, forBot := withoutName(text, bot)
	if !forBot {
		return elsewhere, ""
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

// withoutName removes a bot's name from a command, as in /stop@bellcord. It
// returns false if the name is another bot's.
func withoutName(text, bot string) (string, bool) {
	if !strings.HasPrefix(text, "/") {
		return text, true
	}
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		end = len(text)
	}
	word, to, addressed := strings.Cut(text[:end], "@")
	if !addressed {
		return text, true
	}
	return word + text[end:], strings.EqualFold(to, bot)
}

// addressed removes the bot's name from a message in a group. It reports
// whether the message is for the bot: by name, as a command, or as a reply.
func addressed(m *wire.Message, bot string) (string, bool) {
	name := "@" + bot
	for at := 0; bot != "" && at+len(name) <= len(m.Text); at++ {
		end := at + len(name)
		if strings.EqualFold(m.Text[at:end], name) && (at == 0 || !letter(m.Text[at-1])) && (end == len(m.Text) || !letter(m.Text[end])) {
			return strings.TrimSpace(m.Text[:at] + m.Text[end:]), true
		}
	}
	return m.Text, m.ReplyToSelf || strings.HasPrefix(m.Text, "/")
}

// letter reports whether b can be part of a username. It distinguishes a
// mention from the command "/stop@bellcord" and from another bot's name such as
// "@bellcord2".
func letter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
}

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
/file PATH — get a file from the session's directory
//command — send "/command" to the agent as text`
