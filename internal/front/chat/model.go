package chat

import (
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
	"github.com/bellcord/bellcord/internal/form"
)

// Options configures a Model.
type Options struct {
	Session  bellcord.Session // the session to show; without an id it is created with the first prompt
	Confirm  bool             // Esc stops only at the second press within two seconds
	Plain    bool             // texts that are only for this screen are kept for Words
	Earlier  []string         // earlier prompts of the project, the oldest first
	Keep     bool             // the model returns a Remember action for each prompt
	Theme    Theme            // "" is ThemeDark
	OwnFiles bool             // the files of the session are on this machine: @image.png attaches one
	// TakesImages reports whether a model accepts images. Nil assumes that all do.
	TakesImages func(model string) bool
	// Version is the program's version, for the header. "" shows no header.
	Version string
	// Place returns a directory as the user reads it, such as "~/shop (main)". It
	// is called once for each session. Nil shows the whole path.
	Place func(dir string) string
	// Guide leads the user through the conversation. May be nil.
	Guide Guide
	// Window returns the size of a model's context in tokens, 0 if it is unknown.
	// It must not block. Nil shows no context.
	Window func(model string) int64
	Now    time.Time
}

// Model is a conversation as a user sees it. It must be used by one goroutine
// only.
type Model struct {
	session bellcord.Session
	confirm bool
	now     time.Time
	plain   bool
	draft   int // counts the sessions that are created with their first prompt

	story     story
	replaying bool     // the log is being read from its beginning
	lead      []string // texts that Finished returns before the blocks
	queue     queue
	running   *running
	sent      []sent // own prompts that are not in the log yet
	questions []bellcord.Question
	ended     []endedTurn
	turns     history.Turns
	undo      *Preview                 // the undo that the user is asked about; nil if none is
	answering string                   // the question that an answer is being sent for
	ownStops  map[bellcord.TurnID]bool // turns that this user stopped

	input   editor
	replies bool             // a part of the input was typed while a question was open
	images  []bellcord.Image // attached to the input
	earlier earlier
	search  *search // open if it is not nil
	menu    menu
	reply   reply
	form    *form.Filling // being filled in; nil if none is
	picker  *picker
	overlay *overlay
	hint    string
	until   time.Time // when the hint disappears
	keys    presses
	panel   panel     // the open question
	typed   time.Time // time of the last key press

	distinct bool // the terminal distinguishes Esc from Alt
	open     bool // thinking and outputs are unfolded
	context  contextUse
	window   func(model string) int64
	spent    spending
	receipt  *bellcord.Receipt // of the last turn that has ended
	// recovered are the processes of the receipt, with those found later.
	recovered *bellcord.RecoveredProcesses
	placeOf   func(dir string) string
	place     place

	guide    Guide // nil without one
	guidance Guidance

	takesImages func(model string) bool
	ownFiles    bool
	theme       Theme
	light       bool     // the terminal reports a light background
	notices     []string // not yet returned by Notices
	words       []string // texts for this screen only, not yet returned by Words
}

// running is the running turn.
type running struct {
	id      bellcord.TurnID
	task    bellcord.Task
	text    string // its prompt
	started time.Time
	meter   meter
	scan    string // the scan that the turn waits for; "" if there is none
	// Time and mode of its stop; zero if no stop was requested.
	stop time.Time
	mode bellcord.StopMode
}

// sent is a prompt that is not in the log yet.
type sent struct {
	turn bellcord.TurnID
	text string
	stop time.Time // when its stop was requested
}

// New returns a Model.
func New(o Options) *Model {
	m := &Model{
		session: o.Session, confirm: o.Confirm, plain: o.Plain, replaying: !o.Plain && o.Session.ID != "", now: o.Now,
		ownStops: map[bellcord.TurnID]bool{}, earlier: newEarlier(o.Earlier, o.Keep), window: o.Window,
		takesImages: o.TakesImages, ownFiles: o.OwnFiles, theme: o.Theme, placeOf: o.Place, guide: o.Guide,
	}
	if o.Version != "" {
		m.lead = m.headerLines(o.Version)
	}
	if m.guide != nil {
		m.follow(m.guide.Start())
	}
	return m
}

// Session returns the session that is shown; it has no id until it is created.
func (m *Model) Session() bellcord.Session { return m.session }

// Busy reports whether a turn is running or about to run.
func (m *Model) Busy() bool { return m.target() != "" }

// HasQuestion reports whether a question is open.
func (m *Model) HasQuestion() bool { return m.asked() != "" }

// asked returns the id of the open question: the one that the running turn has
// waited for longest, or the one before an undo; "" if none is open.
func (m *Model) asked() string {
	switch {
	case len(m.questions) > 0:
		return m.questions[0].ID
	case m.undo != nil:
		return m.undo.Request.ID
	}
	return ""
}

// Tick sets the time. Call it several times a second.
func (m *Model) Tick(now time.Time) { m.pass(now) }

func (m *Model) pass(now time.Time) {
	m.now = now
	if m.hint != "" && now.After(m.until) {
		m.hint = ""
	}
}

// lasting is how long a hint is shown.
const lasting = 4 * time.Second

func (m *Model) setHint(hint string) {
	m.hint, m.until = harmless(oneLine(hint)), m.now.Add(lasting)
	m.announce(hint)
}

func (m *Model) announce(words string) {
	if m.plain {
		m.words = append(m.words, harmless(words))
	}
}

// Words returns the texts for this screen only that were added since the last
// call.
func (m *Model) Words() []string {
	words := m.words
	m.words = nil
	return words
}

// showNotice adds a text to the conversation, on this screen only.
func (m *Model) showNotice(words string) {
	m.story.settle(m.now)
	m.story.addBlock(&note{dim, words})
	m.announce(words)
}

// Lost shows that the log is unreachable.
func (m *Model) Lost(err error) {
	m.setHint("cannot reach the server (" + err.Error() + "); retrying")
}

// Edited sets the input to the text that the user's editor has returned.
func (m *Model) Edited(text string, err error) {
	if err != nil {
		m.showNotice("the editor failed, the input is unchanged: " + err.Error() + "; set EDITOR to another one")
		return
	}
	m.input.set(text)
}

// showSession switches to another session.
func (m *Model) showSession(s bellcord.Session) {
	m.session = s
	m.story, m.queue, m.running, m.sent, m.questions = story{}, queue{}, nil, nil, nil
	m.context, m.spent, m.receipt = contextUse{}, spending{}, nil
	m.ended, m.turns, m.undo = nil, history.Turns{}, nil
	m.replaying, m.lead, m.overlay = !m.plain && s.ID != "", nil, nil
	if m.replaying {
		m.lead = []string{"", "— session: " + oneLine(orUntitled(s.Title)) + " —"}
	}
	m.picker, m.answering, m.reply = nil, "", reply{}
}

// target returns the turn that a stop applies to: the running one, or else the
// first that is being sent, or else the next in the queue; or "".
func (m *Model) target() bellcord.TurnID {
	if m.running != nil {
		return m.running.id
	}
	if len(m.sent) > 0 {
		return m.sent[0].turn
	}
	return m.queue.next()
}

func (m *Model) unsend(turn bellcord.TurnID) {
	for i, s := range m.sent {
		if s.turn == turn {
			m.sent = append(m.sent[:i:i], m.sent[i+1:]...)
			return
		}
	}
}
