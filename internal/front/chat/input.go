package chat

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/plural"
)

// input is what the user types and chooses: a prompt, an answer, a queued prompt, a
// session.
type input struct {
	*state
	turns     *turns
	questions *questions
	editor
	edits   bellcord.TurnID  // the queued prompt that is edited
	replies bool             // a part of the input was typed while a question was open
	images  []bellcord.Image // attached to the input
	earlier earlier
	search  *search // open if it is not nil
	menu    menu
	picker  *picker
	overlay *overlay
	keys    presses
	confirm bool // Esc stops only at the second press within two seconds
}

// typeText adds typed or pasted text to the input. It records whether a question was
// open meanwhile.
func (in *input) typeText(text string) {
	in.replies = in.questions.asked() != "" || in.replies && !in.empty()
	in.insert(text)
}

// refusesAnswer reports whether a text must not be sent because it is probably the
// answer to a question, and shows why. Such a text is never a prompt while a
// question is open, or if it was typed while one was.
func (in *input) refusesAnswer(text string) bool {
	switch {
	case !line.LooksLikeAnswer(text):
		return false
	case in.questions.asked() != "":
		in.setHint("not sent: a question is open; answer it with " + strings.Join(in.questions.letters(), ", "))
	case in.replies:
		in.setHint("not sent: the question is closed; to send it as a prompt, type it again")
	default:
		return false
	}
	in.replies = false
	return true
}

// replyKey handles the keys that mark and confirm an answer. Any other key
// removes the mark; if that key types text, the letter is inserted before it.
func (in *input) replyKey(key, text string, quiet bool) ([]Action, bool) {
	letter := in.questions.marked()
	if letter != "" && in.questions.reply.explains {
		return in.reasonKey(key, text), true
	}
	in.questions.reply = reply{}
	switch {
	case letter != "" && key == "enter":
		return in.questions.answer(letter, ""), true
	case key == "tab" && in.questions.explainable(letter):
		in.questions.reply = reply{in.questions.asked(), letter, true}
		return nil, true
	case letter != "":
		if text != "" {
			in.typeText(letter)
		}
	case quiet && in.empty() && !in.turns.queue.focused() && in.questions.settled(text):
		if in.questions.offer(text) != "" {
			in.questions.reply = reply{question: in.questions.asked(), letter: text}
			return nil, true
		}
	}
	return nil, false
}

// reasonKey handles the keys of the reason of a rejection.
func (in *input) reasonKey(key, text string) []Action {
	if key != "enter" {
		if !in.press(key) {
			in.insert(text)
		}
		return nil
	}
	reason, letter := []rune(strings.TrimSpace(in.String())), in.questions.reply.letter
	in.set("")
	in.questions.reply = reply{}
	return in.questions.answer(letter, string(reason[:min(len(reason), bellcord.MaxReason)]))
}

// turnEnded records that the running turn has ended: keys that stopped it do not
// count for the next one.
func (in *input) turnEnded() {
	in.keys = presses{}
	if !in.replaying {
		in.keys.ended = in.now
	}
}

// rested reports whether no key was pressed for a while, and records that one
// is pressed now.
func (in *input) rested() bool {
	before := in.typed
	in.typed = in.now
	return in.now.Sub(before) >= line.Settling
}

// layered reports whether Esc closes something that is open on top of the
// conversation.
func (in *input) layered() bool {
	return in.search != nil || in.picker != nil || in.overlay != nil || in.questions.undo != nil ||
		in.turns.queue.focused() || len(in.menuRows()) > 0
}

// closeLayer closes what is open on top of the conversation, and reports whether
// anything was.
func (in *input) closeLayer() bool {
	switch {
	case in.search != nil:
		in.search = nil
	case in.picker != nil && in.picker.closePart():
	case in.picker != nil:
		in.picker = nil
	case in.overlay != nil:
		in.overlay = nil
	case in.questions.closeUndo("Cancelled: no file was changed."):
	case in.turns.queue.focused():
		in.turns.queue.leave()
	case len(in.menuRows()) > 0:
		in.menu.closed = in.String()
	default:
		return false
	}
	return true
}

func (in *input) clear() {
	in.set("")
	in.images = nil
	in.edits = ""
	in.turns.queue.leave()
}

// recallKey moves the cursor up or down in the input. At its first or last line
// it shows an earlier or a later prompt.
func (in *input) recallKey(by int) {
	if in.moveLine(by) {
		return
	}
	if text, found := in.earlier.move(by, in.String()); found {
		in.set(text)
	}
}

// shown returns the input, or the prompt that the search has found.
func (in *input) shown(width, most int) (shown []string, x, y int) {
	if in.search == nil {
		return in.lines(width, most)
	}
	var found editor
	if at := in.search.at; at >= 0 {
		found.set(in.earlier.all[at])
	}
	return found.lines(width, most)
}

func (in *input) promptMark() string {
	if in.edits != "" {
		return styled(yellow, "✎ ")
	}
	return styled(bold, "› ")
}

// lengthWords returns the length of an input of which only a part is visible, and
// the key that shows all of it in an editor.
func (in *input) lengthWords() []string {
	lines := 1 + strings.Count(in.String(), "\n")
	if lines <= mostInput {
		return nil
	}
	return []string{plural.Count(lines, "line"), "ctrl+g edits"}
}

// earlier contains the prompts and commands that the user has entered in this
// project, and which of them the input shows.
type earlier struct {
	all   []string // the oldest first
	at    int      // index of the shown one; len(all) if the input is new text
	draft string   // the new text, while an earlier prompt is shown
	keep  bool     // the model returns Remember actions
}

func newEarlier(all []string, keep bool) earlier {
	return earlier{all: slices.Clone(all), at: len(all), keep: keep}
}

// addText adds a text. A text that begins with a space is not kept, as in many
// shells.
func (e *earlier) addText(text string) []Action {
	text, private := strings.TrimRight(text, " \n"), strings.HasPrefix(text, " ")
	if text != "" && !private && (len(e.all) == 0 || e.all[len(e.all)-1] != text) {
		e.all = append(e.all, text)
	}
	e.at, e.draft = len(e.all), ""
	if text == "" || private || !e.keep {
		return nil
	}
	return []Action{Remember{text}}
}

// move returns the text that is so many steps away from the shown one; false at
// the end of the list. current is the text of the input, which is kept as the
// draft.
func (e *earlier) move(by int, current string) (string, bool) {
	to := e.at + by
	if to < 0 || to > len(e.all) {
		return "", false
	}
	if e.at == len(e.all) {
		e.draft = current
	}
	e.at = to
	if to == len(e.all) {
		return e.draft, true
	}
	return e.all[to], true
}

// search is a search in the earlier prompts.
type search struct {
	words string
	at    int // index of the prompt that was found; -1 if none was
}

// searchKey handles a key while the search is open, and reports whether it
// handled the key. A key that it does not handle takes the prompt that was
// found, and then acts on the input.
func (in *input) searchKey(key, text string) bool {
	s := in.search
	switch {
	case key == "ctrl+r":
		if older := in.earlier.find(s.words, s.at-1); older >= 0 {
			s.at = older
		}
	case key == "backspace":
		if words := []rune(s.words); len(words) > 0 {
			s.words = string(words[:len(words)-1])
			s.at = in.earlier.find(s.words, len(in.earlier.all)-1)
		}
	case text != "":
		s.words += text
		s.at = in.earlier.find(s.words, len(in.earlier.all)-1)
	default:
		if s.at >= 0 {
			in.set(in.earlier.all[s.at])
			in.earlier.at = s.at
		}
		in.search = nil
		return key == "enter" || key == "tab"
	}
	return true
}

// find returns the index of the newest prompt that contains the words, up to
// from; -1 if there is none.
func (e *earlier) find(words string, from int) int {
	for i := from; i >= 0; i-- {
		if strings.Contains(strings.ToLower(e.all[i]), strings.ToLower(words)) {
			return i
		}
	}
	return -1
}

// line shows the search above the input.
func (s *search) line(stop string) string {
	words := styled(bold, "search: "+harmless(oneLine(s.words)))
	if s.at < 0 {
		return words + styled(dim, " · nothing found · esc closes"+stop)
	}
	return words + styled(dim, " · enter takes it · ctrl+r finds earlier ones · esc closes"+stop)
}
