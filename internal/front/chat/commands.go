package chat

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/front/slash"
)

// commands are the slash commands. They never reach the model, and they are
// parsed before anything is changed.
var commands = []struct{ name, does string }{
	{"stop", "stop the turn and hold queued prompts; /stop all drops them"},
	{"continue", "go on after a stop: sends the prompt Continue."},
	{"receipt", "show the receipt of the last turn: its end, its processes and the proof"},
	{"changes", "list the files that the last turn changed; /changes TURN those of another one"},
	{"diff", "show the differences of these files; /diff PATH of one file"},
	{"undo", "restore the files that the last turn changed; /undo TURN of another one, /undo PATH… only these"},
	{"redo", "reverse the last undo, after a preview"},
	{"rewind", "continue as before an earlier turn: /rewind lists the turns, /rewind TURN, /rewind back"},
	{"sessions", "switch to another session (ctrl+p)"},
	{"open", "open a session: /open ID"},
	{"new", "start a new session"},
	{"queue", "list queued prompts; /edit N TEXT, /drop N, /send N"},
	{"compact", "replace the conversation with a summary; /compact TEXT says what to keep"},
	{"clear", "stop, drop queued prompts and start a new conversation"},
	{"model", "change the model: provider/model"},
	{"mode", "permissions: read-only, ask, auto-edit, full"},
	{"agent", "list the agents; /agent NAME starts a new session with one"},
	{"paste", "attach the image in the clipboard to the prompt (ctrl+v)"},
	{"editor", "write the prompt in your editor (ctrl+g): $VISUAL or $EDITOR"},
	{"cost", "show the tokens and money that this session has used"},
	{"status", "show the session, its settings and what is running"},
	{"help", "show the commands and keys"},
	{"quit", "exit"},
}

// commandNames contains the names of all commands.
var commandNames = func() slash.Commands {
	names := slash.Commands{"edit", "drop", "send", "exit"}
	for _, c := range commands {
		names = append(names, c.name)
	}
	return names
}()

// keyHelp lists the keys, in lines of at most 80 columns.
const keyHelp = `Stop    esc · ctrl+c (again forces) · /stop
Send    enter; queues while a turn runs · tab manages the queue
Write   alt+enter, shift+enter, ctrl+j new line · ctrl+g editor · @ file · !cmd
Recall  up, down · ctrl+r searches
Look    ctrl+o transcript · ctrl+t detail · ctrl+p sessions · ctrl+l redraws
Answer  y, a or n, then enter · n, tab adds a reason · end reads all
Queue   tab, then enter edits · d discards · u undoes that · s sends now
Exit    ctrl+c twice with an empty input · ctrl+d · /quit
`

// submit submits the input: a command, a prompt, or the new text of a queued
// prompt.
func (m *Model) submit() []Action {
	text := m.input.String()
	if strings.TrimSpace(text) == "" {
		if len(m.input.images) == 0 || m.input.edits != "" {
			return nil
		}
		text = onlyImages
	}
	if m.input.refusesAnswer(text) {
		if m.input.edits == "" {
			m.input.set("")
		}
		return nil
	}
	turn := m.input.edits
	if i := m.turns.queue.find(turn); i >= 0 && m.turns.queue.waits[i].prompt.Task == bellcord.TaskCommand {
		return m.input.editCommand(turn, text)
	}
	if turn == "" {
		if m.input.refusesImages(text) {
			return nil
		}
		images := m.input.images
		m.input.clear()
		return append(withImages(m.Submit(text), images), m.input.earlier.addText(text)...)
	}
	prompt, is := m.input.prompt(text)
	if !is {
		return nil
	}
	m.input.clear()
	return []Action{Edit{turn, prompt}}
}

// Submit handles a command or a prompt. A command of this front never becomes a
// prompt. An unknown command is refused, unless a hosted agent may support it.
func (m *Model) Submit(text string) []Action {
	if m.input.refusesAnswer(text) {
		return nil
	}
	if isCommand(text) {
		return m.input.runCommand(text)
	}
	command, prompt, err := commandNames.Parse(text, m.hosted())
	switch {
	case err != nil:
		m.input.set(text)
		m.setHint(err.Error())
		return nil
	case command != nil:
		actions := m.obey(command.Name, command.Rest)
		if m.guide != nil {
			m.follow(m.guide.Command(command.Name))
		}
		return actions
	}
	return m.turns.send(bellcord.TaskAnswer, strings.TrimSpace(prompt))
}

// prompt returns the new text of a queued prompt; false if it would be a
// command.
func (in *input) prompt(text string) (string, bool) {
	if in.refusesAnswer(text) {
		return "", false
	}
	command, prompt, err := commandNames.Parse(text, in.hosted())
	if err != nil || command != nil {
		in.setHint("a queued prompt cannot be a command; to send it as text, write /" + strings.TrimSpace(text))
		return "", false
	}
	return strings.TrimSpace(prompt), true
}

func (m *Model) obey(word, rest string) []Action {
	switch word {
	case "stop":
		return m.stopCommand(rest)
	case "continue":
		return m.turns.send(bellcord.TaskAnswer, "Continue.")
	case "receipt":
		m.story.showReceipt()
	case "changes":
		return m.story.showTurnChanges(rest)
	case "diff":
		return m.story.showDiff(slash.Words(rest))
	case "undo", "redo":
		return m.story.undoCommand(word, rest)
	case "rewind":
		return m.story.rewindCommand(rest)
	case "sessions":
		return []Action{ShowList{At: AtSessions}}
	case "open":
		if rest != "" {
			return []Action{Open{rest}}
		}
		return []Action{ShowList{At: AtSessions}}
	case "queue":
		m.story.showNotice(m.turns.queue.list())
	case "edit", "drop", "send":
		return m.input.queueCommand(word, rest)
	case "new":
		m.showNewSession(bellcord.Session{Mode: m.session.Mode, Model: m.session.Model, Agent: m.session.Agent})
	case "agent":
		if rest == "" {
			return []Action{ShowList{At: AtAgents}}
		}
		return []Action{Begin{bellcord.Session{Mode: m.session.Mode, Agent: rest}}}
	case "clear":
		if m.session.ID == "" {
			return nil
		}
		return []Action{Clear{m.session.ID}}
	case "compact":
		if m.session.ID == "" {
			m.setHint("Nothing to compact yet.")
			return nil
		}
		return m.turns.send(bellcord.TaskCompact, rest)
	case "model":
		return m.story.change(bellcord.SessionUpdated{Model: rest}, AtModels)
	case "mode":
		return m.story.change(bellcord.SessionUpdated{Mode: rest}, "")
	case "paste":
		return []Action{PasteImage{}}
	case "editor":
		return []Action{EditInput{rest}}
	case "cost":
		return []Action{ShowList{At: AtCost, Session: m.session.ID}}
	case "status":
		m.story.showNotice(m.standing())
	case "help":
		m.input.showHelp()
	case "quit", "exit":
		return []Action{Leave{}}
	}
	return nil
}

// showReceipt shows the receipt of the last turn that has ended.
func (s *story) showReceipt() {
	if s.receipt == nil {
		s.setHint("No turn has ended yet.")
		return
	}
	s.showNotice(strings.TrimRight(line.Details(*s.receipt), "\n"))
}

func (m *Model) stopCommand(rest string) []Action {
	all := strings.EqualFold(rest, "all")
	switch {
	case rest != "" && !all:
		m.setHint("use /stop or /stop all")
	case m.turns.target() == "" && (!all || len(m.turns.queue.waits) == 0):
		m.setHint("Nothing is running.")
	case !all || m.session.ID == "":
		return m.requestStop(bellcord.StopNow)
	default:
		for _, w := range m.turns.queue.waits {
			m.turns.ownStops[w.turn] = true
		}
		if turn := m.turns.target(); turn != "" {
			m.stop(turn, bellcord.StopNow)
		}
		return []Action{Stop{Session: m.session.ID, Mode: bellcord.StopNow, Queue: bellcord.QueueDrop}}
	}
	return nil
}

// showNewSession shows a session that is created with its first prompt. Turns
// of the previous session continue.
func (m *Model) showNewSession(like bellcord.Session) {
	m.draft++
	m.showSession(like)
	m.setHint("new session: it is created with your first prompt")
}

// change changes a setting; an empty change shows the settings.
func (s *story) change(to bellcord.SessionUpdated, list Sight) []Action {
	if to != (bellcord.SessionUpdated{}) {
		return []Action{Change{s.session.ID, s.session.Agent, to}}
	}
	s.showNotice(settings(s.session))
	if list != "" {
		return []Action{ShowList{At: list}}
	}
	return nil
}

func settings(s bellcord.Session) string {
	text := "model " + orUsual(s.Model) + ", mode " + orUsual(s.Mode)
	if s.Agent != "" {
		text += ", agent " + s.Agent
	}
	return text
}

func orUsual(name string) string {
	if name == "" {
		return "default"
	}
	return name
}

// help returns the keys and the commands.
func help() string {
	var text strings.Builder
	text.WriteString(keyHelp + "\n")
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, c := range commands {
		fmt.Fprintf(columns, "/%s\t%s\n", c.name, c.does)
	}
	_ = columns.Flush() // a strings.Builder never fails
	return strings.TrimSuffix(text.String(), "\n")
}

// standing describes the session, its settings and its status.
func (m *Model) standing() string {
	id := string(m.session.ID)
	if id == "" {
		id = "not created yet"
	}
	text := "session " + id
	if m.session.Dir != "" {
		text += "\nin " + m.session.Dir
	}
	status := m.status()
	text += "\n" + settings(m.session) + "\n" + status.line(status.call, true)
	if len(m.turns.queue.waits) > 0 {
		text += "\n" + m.turns.queue.title()
	}
	return text
}

// isCommand reports whether an input is a command for the shell. A space before
// the ! makes it text.
func isCommand(text string) bool { return strings.HasPrefix(text, bellcord.CommandPrefix) }

// runCommand runs a command in the session's directory, without the model. It is
// a turn: it can be queued and stopped.
func (in *input) runCommand(text string) []Action {
	command := strings.TrimSpace(strings.TrimPrefix(text, bellcord.CommandPrefix))
	switch {
	case command == "":
		in.set(text)
		in.setHint("write a command after the !; a space before the ! makes it text")
		return nil
	case in.hosted():
		in.set(text)
		in.setHint(in.session.Agent + " runs its own commands: ! works only in sessions of the built-in agent")
		return nil
	}
	return in.turns.send(bellcord.TaskCommand, bellcord.CommandPrefix+command)
}

// editCommand changes a queued command. It stays a command, so that no text
// becomes a command by an edit.
func (in *input) editCommand(turn bellcord.TurnID, text string) []Action {
	if !isCommand(text) || strings.TrimSpace(strings.TrimPrefix(text, bellcord.CommandPrefix)) == "" {
		in.setHint("a queued command stays a command: begin it with !, or delete it and send the text")
		return nil
	}
	in.clear()
	return []Action{Edit{turn, strings.TrimSpace(text)}}
}
