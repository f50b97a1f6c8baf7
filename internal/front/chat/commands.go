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
		if len(m.images) == 0 || m.queue.edits != "" {
			return nil
		}
		text = onlyImages
	}
	if m.refusesAnswer(text) {
		if m.queue.edits == "" {
			m.input.set("")
		}
		return nil
	}
	turn := m.queue.edits
	if i := m.queue.find(turn); i >= 0 && m.queue.waits[i].prompt.Task == bellcord.TaskCommand {
		return m.editCommand(turn, text)
	}
	if turn == "" {
		if m.refusesImages(text) {
			return nil
		}
		images := m.images
		m.clearInput()
		return append(withImages(m.Submit(text), images), m.earlier.addText(text)...)
	}
	prompt, is := m.prompt(text)
	if !is {
		return nil
	}
	m.clearInput()
	return []Action{Edit{turn, prompt}}
}

// Submit handles a command or a prompt. A command of this front never becomes a
// prompt. An unknown command is refused, unless a hosted agent may support it.
func (m *Model) Submit(text string) []Action {
	if m.refusesAnswer(text) {
		return nil
	}
	if isCommand(text) {
		return m.runCommand(text)
	}
	command, prompt, err := commandNames.Parse(text, m.hosted())
	switch {
	case err != nil:
		m.input.set(text)
		m.setHint(err.Error())
		return nil
	case command != nil:
		return m.guided(command.Name, m.obey(command.Name, command.Rest))
	}
	return m.sendPrompt(bellcord.TaskAnswer, strings.TrimSpace(prompt))
}

func (m *Model) sendPrompt(task bellcord.Task, text string) []Action {
	p := Prompt{Session: m.session, Draft: m.draft, Turn: bellcord.NewTurnID(), Task: task, Text: text}
	if task == bellcord.TaskAnswer {
		p.ImageFiles = m.mentionedImages(text)
	}
	m.sent = append(m.sent, sent{turn: p.Turn, text: text})
	return []Action{p}
}

// hosted reports whether a hosted agent runs the session. It may have commands.
func (m *Model) hosted() bool { return m.session.Agent != "" }

// prompt returns the new text of a queued prompt; false if it would be a
// command.
func (m *Model) prompt(text string) (string, bool) {
	if m.refusesAnswer(text) {
		return "", false
	}
	command, prompt, err := commandNames.Parse(text, m.hosted())
	if err != nil || command != nil {
		m.setHint("a queued prompt cannot be a command; to send it as text, write /" + strings.TrimSpace(text))
		return "", false
	}
	return strings.TrimSpace(prompt), true
}

func (m *Model) obey(word, rest string) []Action {
	switch word {
	case "stop":
		return m.stopCommand(rest)
	case "continue":
		return m.sendPrompt(bellcord.TaskAnswer, "Continue.")
	case "receipt":
		m.showReceipt()
	case "changes":
		return m.showTurnChanges(rest)
	case "diff":
		return m.showDiff(slash.Words(rest))
	case "undo", "redo":
		return m.undoCommand(word, rest)
	case "rewind":
		return m.rewindCommand(rest)
	case "sessions":
		return []Action{ShowList{At: AtSessions}}
	case "open":
		if rest != "" {
			return []Action{Open{rest}}
		}
		return []Action{ShowList{At: AtSessions}}
	case "queue", "edit", "drop", "send":
		return m.queueCommand(word, rest)
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
		return m.sendPrompt(bellcord.TaskCompact, rest)
	case "model":
		return m.change(bellcord.SessionUpdated{Model: rest}, AtModels)
	case "mode":
		return m.change(bellcord.SessionUpdated{Mode: rest}, "")
	case "paste":
		return []Action{PasteImage{}}
	case "editor":
		return []Action{EditInput{rest}}
	case "cost":
		return []Action{ShowList{At: AtCost, Session: m.session.ID}}
	case "status":
		m.showNotice(m.standing())
	case "help":
		m.showHelp()
	case "quit", "exit":
		return m.quit()
	}
	return nil
}

// showReceipt shows the receipt of the last turn that has ended.
func (m *Model) showReceipt() {
	if m.receipt == nil {
		m.setHint("No turn has ended yet.")
		return
	}
	m.showNotice(strings.TrimRight(line.Details(*m.receipt), "\n"))
}

func (m *Model) stopCommand(rest string) []Action {
	all := strings.EqualFold(rest, "all")
	switch {
	case rest != "" && !all:
		m.setHint("use /stop or /stop all")
	case m.target() == "" && (!all || len(m.queue.waits) == 0):
		m.setHint("Nothing is running.")
	case !all || m.session.ID == "":
		return m.requestStop(bellcord.StopNow)
	default:
		for _, w := range m.queue.waits {
			m.ownStops[w.turn] = true
		}
		if turn := m.target(); turn != "" {
			m.ownStops[turn] = true
			m.stopping(turn, bellcord.StopNow)
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
func (m *Model) change(to bellcord.SessionUpdated, list Sight) []Action {
	if to != (bellcord.SessionUpdated{}) {
		return []Action{Change{m.session.ID, m.session.Agent, to}}
	}
	m.showNotice(settings(m.session))
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
	text += "\n" + settings(m.session) + "\n" + m.state()
	if len(m.queue.waits) > 0 {
		text += "\n" + m.queueTitle()
	}
	return text
}
