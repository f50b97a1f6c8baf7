package chat

import (
	"time"

	"github.com/bellcord/bellcord"
)

// Options of a model.
type Options struct {
	Session bellcord.Session // the one to show; without an id it is made with the first prompt
	Confirm bool             // Esc stops at the second press within two seconds
	Spoken  bool             // words that are only for this screen are kept for Words
	Now     time.Time
}

// Model is a conversation as a person sees it. It belongs to one goroutine.
type Model struct {
	session bellcord.Session
	confirm bool
	now     time.Time
	spoken  bool
	draft   int // counts the sessions that are yet to be made

	story     story
	queue     queue
	running   *running
	sent      []sent // ours, not in the log yet
	questions []bellcord.Question
	answering string                   // the question whose answer is on its way
	mine      map[bellcord.TurnID]bool // that we asked to stop
	last      *bellcord.Receipt        // of the turn that ended last

	input  editor
	reply  reply
	picker *picker
	hint   string
	until  time.Time // when the hint goes
	keys   presses
	panel  panel     // the open question
	typed  time.Time // when the last key came

	distinct bool     // the terminal distinguishes Esc from Alt
	open     bool     // thinking and outputs are shown whole
	scroll   int      // lines up from the end
	words    []string // for this screen alone, not taken yet
}

// running is the turn that runs.
type running struct {
	id      bellcord.TurnID
	started time.Time
	meter   meter
	// Of its stop, zero when there is none: when it was wanted, and how.
	stop time.Time
	mode bellcord.StopMode
}

// sent is a prompt on its way.
type sent struct {
	turn bellcord.TurnID
	text string
	stop time.Time // when its stop was wanted
}

// New returns a model.
func New(o Options) *Model {
	return &Model{session: o.Session, confirm: o.Confirm, spoken: o.Spoken, now: o.Now, mine: map[bellcord.TurnID]bool{}}
}

// Session is the one that is shown; without an id it has not been made.
func (m *Model) Session() bellcord.Session { return m.session }

// Busy reports whether a turn runs, or is on its way.
func (m *Model) Busy() bool { return m.target() != "" }

// Asked reports whether a question is open.
func (m *Model) Asked() bool { return len(m.questions) > 0 }

// Tick sets the time. It is to be called several times a second.
func (m *Model) Tick(now time.Time) { m.pass(now) }

func (m *Model) pass(now time.Time) {
	m.now = now
	if m.hint != "" && now.After(m.until) {
		m.hint = ""
	}
}

// lasting is how long a hint is shown.
const lasting = 4 * time.Second

func (m *Model) say(hint string) {
	m.hint, m.until = harmless(oneLine(hint)), m.now.Add(lasting)
	m.speak(hint)
}

func (m *Model) speak(words string) {
	if m.spoken {
		m.words = append(m.words, harmless(words))
	}
}

// Words returns what was said to this screen alone since the last call.
func (m *Model) Words() []string {
	words := m.words
	m.words = nil
	return words
}

// showNotice puts words into the conversation, for this screen alone.
func (m *Model) showNotice(words string) {
	m.story.settle(m.now)
	m.story.addBlock(&note{dim, words})
	m.scroll = 0
	m.speak(words)
}

// Lost says that the log is out of reach; what it has is shown when it is back.
func (m *Model) Lost(err error) {
	m.say("cannot reach the server (" + err.Error() + "); retrying")
}

// showSession begins with another session.
func (m *Model) showSession(s bellcord.Session) {
	m.session = s
	m.story, m.queue, m.running, m.sent, m.questions = story{}, queue{}, nil, nil, nil
	m.last, m.scroll, m.picker, m.answering, m.reply = nil, 0, nil, "", reply{}
}

// target is the turn that a stop is for: the one that runs, or else the first
// that is on its way; "" when there is none.
func (m *Model) target() bellcord.TurnID {
	if m.running != nil {
		return m.running.id
	}
	if len(m.sent) > 0 {
		return m.sent[0].turn
	}
	return m.queue.next()
}

// Hear takes note of what became of an action.
func (m *Model) Hear(r Report) {
	if r.Err != nil {
		m.failed(r)
		return
	}
	switch of := r.Of.(type) {
	case Prompt:
		if r.Session != nil && m.session.ID == "" && of.Draft == m.draft {
			m.session = *r.Session
		}
	case Open:
		m.showSession(*r.Session)
	case Begin:
		m.showNewSession(of.Like)
	case Change:
		switch {
		case r.Session == nil && m.session.ID == "":
			m.configured(of.To)
			m.showNotice(settings(m.session))
		case r.Session != nil && r.Session.ID == m.session.ID:
			m.session = *r.Session
		}
	case Look:
		if of.At == AtSessions {
			m.choose(r.Sessions)
		}
	}
	if r.Text != "" {
		m.showNotice(r.Text)
	}
}

func (m *Model) failed(r Report) {
	words := r.Err.Error()
	switch of := r.Of.(type) {
	case Prompt:
		m.unsend(of.Turn)
		if m.input.empty() && of.Task == bellcord.TaskAnswer {
			m.input.set(of.Text) // to try again
		}
		words = "prompt not accepted: " + words
	case Stop:
		if m.running != nil && m.running.id == of.Turn {
			m.running.stop = time.Time{}
		}
		words = "stop not delivered: " + words + "; press again"
	case Answer:
		if m.answering == of.Question {
			m.answering = ""
		}
		words = "answer not delivered: " + words
	case Edit:
		words = "prompt not changed: " + words
	case Send:
		words = "prompt not sent: " + words
	}
	m.showNotice(words)
}

func (m *Model) unsend(turn bellcord.TurnID) {
	for i, s := range m.sent {
		if s.turn == turn {
			m.sent = append(m.sent[:i:i], m.sent[i+1:]...)
			return
		}
	}
}
