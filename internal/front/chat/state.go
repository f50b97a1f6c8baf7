package chat

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
)

// state is what all parts of a conversation share: the session, the time, and what
// this screen alone shows.
type state struct {
	session   bellcord.Session
	draft     int // counts the sessions that are created with their first prompt
	now       time.Time
	typed     time.Time // time of the last key press
	plain     bool
	replaying bool // the log is being read from its beginning
	hint      string
	until     time.Time // when the hint disappears
	notices   []string  // not yet returned by Notices
	words     []string  // texts for this screen only, not yet returned by Words

	placeOf     func(dir string) string
	place       place
	window      func(model string) int64
	takesImages func(model string) bool
	ownFiles    bool

	distinct bool // the terminal distinguishes Esc from Alt
	unfolded bool // thinking and outputs are shown in full
	theme    Theme
	light    bool // the terminal reports a light background
}

// Session returns the session that is shown; it has no id until it is created.
func (s *state) Session() bellcord.Session { return s.session }

// hosted reports whether a hosted agent runs the session. It may have commands.
func (s *state) hosted() bool { return s.session.Agent != "" }

// Tick sets the time. Call it several times a second.
func (s *state) Tick(now time.Time) {
	s.now = now
	if s.hint != "" && now.After(s.until) {
		s.hint = ""
	}
}

// lasting is how long a hint is shown.
const lasting = 4 * time.Second

func (s *state) setHint(hint string) {
	s.hint, s.until = harmless(oneLine(hint)), s.now.Add(lasting)
	s.announce(hint)
}

func (s *state) announce(words string) {
	if s.plain {
		s.words = append(s.words, harmless(words))
	}
}

// Words returns the texts for this screen only that were added since the last
// call.
func (s *state) Words() []string {
	words := s.words
	s.words = nil
	return words
}

// Lost shows that the log is unreachable.
func (s *state) Lost(err error) {
	s.setHint("cannot reach the server (" + err.Error() + "); retrying")
}

// Replay records that the log of the session is being read from its beginning.
// Until CaughtUp, Finished returns nothing.
func (s *state) Replay() { s.replaying = true }

// Distinct records that the terminal reports Esc and keys with Alt differently.
// Other terminals send Esc before a key for Alt, so an Esc that arrives
// together with the next key is reported as that key with Alt.
func (s *state) Distinct() { s.distinct = true }

func (s *state) configured(b bellcord.SessionUpdated) {
	for _, of := range []struct {
		from string
		to   *string
	}{{b.Title, &s.session.Title}, {b.Model, &s.session.Model}, {b.Mode, &s.session.Mode}, {b.Dir, &s.session.Dir}} {
		if of.from != "" {
			*of.to = of.from
		}
	}
}

// place is the directory of the session as the user reads it, such as
// "~/shop (main)".
type place struct{ dir, words string }

func (s *state) placeWords() string {
	dir := s.session.Dir
	if s.place.dir != dir {
		s.place = place{dir, dir}
		if s.placeOf != nil && dir != "" {
			s.place.words = s.placeOf(dir)
		}
	}
	return s.place.words
}

// settingWords returns the settings of the session and its directory.
func (s *state) settingWords(explained bool) []string {
	of := s.session
	var words []string
	switch {
	case of.Agent != "" && of.Model != "":
		words = append(words, of.Agent, of.Model)
	case of.Agent != "":
		words = append(words, of.Agent)
	case of.Model == "":
		words = append(words, "default model")
	case explained && strings.HasPrefix(of.Model, "fake/"):
		words = append(words, of.Model+" (no AI, repeats you)")
	default:
		words = append(words, of.Model)
	}
	if of.Mode == "" {
		words = append(words, "default mode")
	} else {
		words = append(words, of.Mode)
	}
	if place := s.placeWords(); place != "" {
		words = append(words, place)
	}
	return words
}

// mentionedImages returns the image files that a prompt mentions as @path.
func (s *state) mentionedImages(text string) []string {
	if !s.ownFiles || s.session.Dir == "" {
		return nil
	}
	var paths []string
	for _, word := range strings.Fields(text) {
		if path, is := strings.CutPrefix(word, "@"); is && isImagePath(path) && filepath.IsLocal(path) {
			paths = append(paths, filepath.Join(s.session.Dir, path))
		}
	}
	return paths
}

// Notices returns what has happened since the last call and matters to a user who
// does not look at the terminal: a turn waits for an answer, or has ended. A notice
// contains the title of the session and no command or answer, because it can be
// shown on a locked screen. Events from before the session was shown cause none.
func (s *state) Notices() []string {
	notices := s.notices
	s.notices = nil
	return notices
}

// notice adds the notice about an event, if it needs one.
func (s *state) notice(ev bellcord.Event) {
	if s.replaying || s.plain {
		return
	}
	words := ""
	switch b := ev.Body.(type) {
	case bellcord.QuestionOpened:
		words = "waiting for you"
	case bellcord.TurnEnded:
		if !b.Receipt.Times.Started.IsZero() {
			words = endWords(b.Receipt)
		}
	}
	if words == "" {
		return
	}
	if s.session.Title != "" {
		words += " · " + s.session.Title
	}
	s.notices = append(s.notices, "Bellcord: "+harmless(oneLine(words)))
}

// endWords describes the end of a turn without its error.
func endWords(r bellcord.Receipt) string {
	took := r.Times.Settled.Sub(r.Times.Started).Round(time.Second)
	switch r.End {
	case bellcord.EndStopped:
		return "stopped after " + seconds(took)
	case bellcord.EndFailed, bellcord.EndLost:
		return string(r.End)
	case bellcord.EndDone:
	}
	return "done " + elapsed(took)
}
