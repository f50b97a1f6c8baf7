package chat

import (
	"time"

	"github.com/bellcord/bellcord"
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

// Model is a conversation as a user sees it: what the log says, and what the user
// types. It must be used by one goroutine only.
type Model struct {
	*state
	turns     *turns
	questions *questions
	story     story
	input     input
	guide     Guide // nil without one
	guidance  Guidance
}

// New returns a Model.
func New(o Options) *Model {
	st := &state{
		session: o.Session, plain: o.Plain, replaying: !o.Plain && o.Session.ID != "", now: o.Now, theme: o.Theme,
		window: o.Window, takesImages: o.TakesImages, ownFiles: o.OwnFiles, placeOf: o.Place,
	}
	m := &Model{state: st, turns: &turns{state: st, ownStops: map[bellcord.TurnID]bool{}}, guide: o.Guide}
	m.story = story{state: st, turns: m.turns, blocks: &blocks{}}
	m.questions = &questions{state: st, blocks: m.story.blocks}
	m.input = input{
		state: st, turns: m.turns, questions: m.questions, earlier: newEarlier(o.Earlier, o.Keep), confirm: o.Confirm,
	}
	m.input.menu = menu{state: st, editor: &m.input.editor}
	if o.Version != "" {
		m.story.lead = st.headerLines(o.Version, o.Guide != nil)
	}
	if m.guide != nil {
		m.follow(m.guide.Start())
	}
	return m
}

// Busy reports whether a turn is running or about to run.
func (m *Model) Busy() bool { return m.turns.target() != "" }

// HasQuestion reports whether a question is open.
func (m *Model) HasQuestion() bool { return m.questions.asked() != "" }

// Edited sets the input to the text that the user's editor has returned.
func (m *Model) Edited(text string, err error) {
	if err != nil {
		m.story.showNotice("the editor failed, the input is unchanged: " + err.Error() + "; set EDITOR to another one")
		return
	}
	m.input.set(text)
}

// showSession switches to another session.
func (m *Model) showSession(s bellcord.Session) {
	m.session = s
	m.replaying = !m.plain && s.ID != ""
	m.turns.queue, m.turns.running, m.turns.sent = queue{}, nil, nil
	*m.story.blocks = blocks{}
	m.story = story{state: m.state, turns: m.turns, blocks: m.story.blocks}
	if m.replaying {
		m.story.lead = []string{"", "— session: " + oneLine(orUntitled(s.Title)) + " —"}
	}
	*m.questions = questions{state: m.state, blocks: m.story.blocks}
	m.input.edits, m.input.overlay, m.input.picker = "", nil, nil
}
