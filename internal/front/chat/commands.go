package chat

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/bellcord/bellcord"
)

// commands are control, not conversation: the model does not hear of them, and
// they are understood before anything is touched.
var commands = []struct{ name, does string }{
	{"stop", "stop what runs; what waits is held. /stop all drops it, too"},
	{"sessions", "choose another session (ctrl+p)"},
	{"open", "show the session with this id"},
	{"new", "begin another session"},
	{"queue", "what waits; /edit N TEXT, /drop N, /send N change it"},
	{"clear", "stop what runs and what waits, and begin a new conversation"},
	{"model", "show or change the model: provider/model"},
	{"mode", "show or change the mode: read-only, ask, auto-edit, full"},
	{"agent", "begin another session with this agent"},
	{"cost", "what this session has used"},
	{"status", "how things stand"},
	{"help", "this, and the keys"},
	{"quit", "leave"},
}

const keyHelp = `keys: enter sends, or queues while a turn runs · alt+enter breaks the line · esc stops
ctrl+c stops, again within 2 s forces, a third time exits
up picks what waits: enter edits it, d deletes it, s sends it now
y, a, n answer a question · ctrl+t unfolds thinking and outputs · pgup, pgdown scroll`

// enter takes what was written.
func (m *Model) enter() []Action {
	text := strings.TrimSpace(m.input.String())
	if text == "" {
		return nil
	}
	if turn := m.queue.edits; turn != "" {
		m.clearInput()
		return []Action{Edit{turn, text}}
	}
	m.clearInput()
	return m.Submit(text)
}

// Submit takes a whole text: a command, or a prompt.
func (m *Model) Submit(text string) []Action {
	m.scroll = 0
	if word, rest, is := command(text); is {
		return m.obey(text, word, rest)
	}
	p := Prompt{Session: m.session, Draft: m.draft, Turn: bellcord.NewTurnID(), Text: text}
	m.sent = append(m.sent, sent{turn: p.Turn, text: text})
	return []Action{p}
}

// command splits "/word rest". A path is no command.
func command(text string) (word, rest string, is bool) {
	after, slash := strings.CutPrefix(strings.TrimSpace(text), "/")
	word, rest, _ = strings.Cut(after, " ")
	letters := word != "" && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	return strings.ToLower(word), strings.TrimSpace(rest), slash && letters
}

func (m *Model) obey(text, word, rest string) []Action {
	switch word {
	case "stop":
		return m.stopCommand(rest)
	case "sessions":
		return []Action{Look{At: AtSessions}}
	case "open":
		if rest != "" {
			return []Action{Open{bellcord.SessionID(rest)}}
		}
		return []Action{Look{At: AtSessions}}
	case "queue", "edit", "drop", "send":
		return m.queueCommand(word, rest)
	case "new":
		return m.begin(bellcord.Session{Mode: m.session.Mode, Model: m.session.Model, Agent: m.session.Agent})
	case "agent":
		if rest == "" {
			return []Action{Look{At: AtAgents}}
		}
		return m.begin(bellcord.Session{Mode: m.session.Mode, Agent: rest})
	case "clear":
		if m.session.ID == "" {
			return nil
		}
		return []Action{Clear{m.session.ID}}
	case "model":
		return m.change(bellcord.Configured{Model: rest}, AtModels)
	case "mode":
		return m.change(bellcord.Configured{Mode: rest}, "")
	case "cost":
		return []Action{Look{At: AtCost, Session: m.session.ID}}
	case "status":
		m.tell(m.standing())
	case "help":
		m.tell(help())
	case "quit", "exit":
		return m.leave()
	default:
		m.input.set(text)
		m.say("there is no command /" + word + "; see /help")
	}
	return nil
}

func (m *Model) stopCommand(rest string) []Action {
	all := strings.EqualFold(rest, "all")
	switch {
	case rest != "" && !all:
		m.say("it is /stop or /stop all")
	case m.target() == "" && (!all || len(m.queue.waits) == 0):
		m.say("Nothing is running.")
	case !all || m.session.ID == "":
		return m.stop(bellcord.Now)
	default:
		for _, w := range m.queue.waits {
			m.mine[w.turn] = true
		}
		if turn := m.target(); turn != "" {
			m.mine[turn] = true
			m.stopping(turn, bellcord.Now)
		}
		return []Action{Stop{Session: m.session.ID, Mode: bellcord.Now, Queue: bellcord.Drop}}
	}
	return nil
}

// begin shows a session that is made with its first prompt. What runs in the one
// before goes on.
func (m *Model) begin(like bellcord.Session) []Action {
	m.draft++
	m.show(like)
	m.say("a new session: it is made with your first prompt")
	return nil
}

// change changes a setting, or shows it where none is given.
func (m *Model) change(to bellcord.Configured, list Sight) []Action {
	switch {
	case to == bellcord.Configured{}:
		m.tell(settings(m.session))
		if list != "" {
			return []Action{Look{At: list}}
		}
	case m.session.ID == "":
		m.configured(to)
		m.tell(settings(m.session))
	default:
		return []Action{Change{m.session.ID, to}}
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
		return "as configured"
	}
	return name
}

func help() string {
	var text strings.Builder
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, c := range commands {
		fmt.Fprintf(columns, "/%s\t%s\n", c.name, c.does)
	}
	_ = columns.Flush() // a builder takes everything
	return text.String() + keyHelp
}

// standing is how things stand, in words.
func (m *Model) standing() string {
	id := string(m.session.ID)
	if id == "" {
		id = "not made yet"
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
