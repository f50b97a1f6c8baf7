package chat

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
	"github.com/bellcord/bellcord/internal/front/line"
)

// questions are the open questions, and how the user answers the first of them.
type questions struct {
	*state
	blocks  *blocks         // which show the questions
	turn    bellcord.TurnID // the running one, which asks
	open    []bellcord.Question
	undo    *Preview // the undo that the user is asked about; nil if none is
	sending string   // the question that an answer is being sent for
	reply   reply
	form    *form.Filling // being filled in; nil if none is
	panel   panel
}

// read applies an event to the questions.
func (qs *questions) read(ev bellcord.Event) {
	switch b := ev.Body.(type) {
	case bellcord.TurnStarted:
		qs.turn, qs.open, qs.sending = ev.Turn, nil, ""
		qs.closeUndo("A turn has started: /undo works when it has ended.")
	case bellcord.QuestionOpened:
		qs.open = append(qs.open, b.Question)
	case bellcord.QuestionAnswered:
		qs.open = slices.DeleteFunc(qs.open, func(q bellcord.Question) bool { return q.ID == b.Question })
	case bellcord.StopRequested:
		if ev.Turn == qs.turn && b.Cause.Mode != bellcord.StopAfterStep {
			qs.open = nil // a stop withdraws them
		}
	case bellcord.TurnEnded:
		if ev.Turn == qs.turn {
			qs.turn, qs.open, qs.sending = "", nil, ""
		}
	case bellcord.Undone:
		qs.closeUndo("Files were restored meanwhile: use /undo again.")
	}
}

// asked returns the id of the open question: the one that the running turn has
// waited for longest, or the one before an undo; "" if none is open.
func (qs *questions) asked() string {
	switch {
	case len(qs.open) > 0:
		return qs.open[0].ID
	case qs.undo != nil:
		return qs.undo.Request.ID
	}
	return ""
}

// reply is the answer that is marked and not confirmed yet. A letter marks it
// and Enter confirms it, so text that is typed while a question appears
// approves nothing.
type reply struct {
	question string // its question; "" if nothing is marked
	letter   string
	explains bool // the input is the reason of a rejection
}

var (
	replies  = map[string]line.Reply{"y": line.Yes, "a": line.ForSession, "n": line.No}
	meanings = map[string]string{"y": "once", "a": "for this session", "n": "reject"}
)

// offer describes what a letter answers to a question, or returns "" if it is no
// answer to it: another agent may have no choice that allows more than once.
func offer(q bellcord.Question, letter string) string {
	letter = strings.ToLower(letter)
	if _, is := replies[letter]; !is {
		return ""
	}
	if q.HasForm() {
		return formOffer(q, letter)
	}
	return harmless(line.Offer(q, replies[letter], meanings[letter]))
}

// offer describes what a letter answers to the open question, or returns "" if it is
// no answer.
func (qs *questions) offer(letter string) string {
	switch {
	case len(qs.open) > 0:
		return offer(qs.open[0], letter)
	case qs.undo != nil:
		return qs.undo.offer(letter)
	}
	return ""
}

// letters returns the letters that answer the open question.
func (qs *questions) letters() []string {
	var letters []string
	for _, letter := range []string{"y", "a", "n"} {
		if qs.offer(letter) != "" {
			letters = append(letters, letter)
		}
	}
	return letters
}

// answers lists the letters that answer the open question, each with what it
// answers after the text between.
func (qs *questions) answers(between string) []string {
	var parts []string
	for _, letter := range qs.letters() {
		parts = append(parts, letter+between+qs.offer(letter))
	}
	return parts
}

// marked returns the letter that is marked for the open question, or "".
func (qs *questions) marked() string {
	if qs.asked() == "" || qs.reply.question != qs.asked() {
		return ""
	}
	return qs.reply.letter
}

// explainable reports whether a reason can be added to an answer.
func (qs *questions) explainable(letter string) bool {
	return strings.ToLower(letter) == "n" && len(qs.open) > 0 && !qs.open[0].HasForm()
}

// answer answers the question that has been open longest. While its
// answer is being sent it cannot be answered again, so that pressing a letter
// twice does not answer two questions.
func (qs *questions) answer(letter, reason string) []Action {
	if len(qs.open) == 0 && qs.undo != nil {
		return qs.answerUndo(letter)
	}
	if len(qs.open) == 0 || qs.turn == "" || qs.sending == qs.open[0].ID || offer(qs.open[0], letter) == "" {
		return nil
	}
	q := qs.open[0]
	if len(q.Fields) > 0 && strings.ToLower(letter) == "y" {
		qs.form = form.NewFilling(q)
		qs.announce(qs.form.Prompt())
		return nil
	}
	qs.sending = q.ID
	choice := line.Choose(q, replies[strings.ToLower(letter)])
	return []Action{Answer{qs.turn, q.ID, bellcord.Reply{Choice: choice, Reason: reason}}}
}

// answerUndo carries out the undo that the user has confirmed, or cancels it.
func (qs *questions) answerUndo(letter string) []Action {
	p := qs.undo
	if strings.ToLower(letter) != "y" {
		qs.closeUndo("Cancelled: no file was changed.")
		return nil
	}
	qs.undo = nil
	return []Action{Undo{p.Request}}
}

// closeUndo closes the question before an undo, and reports whether it was open.
func (qs *questions) closeUndo(hint string) bool {
	if qs.undo == nil {
		return false
	}
	qs.undo = nil
	qs.setHint(hint)
	return true
}

// formOffer describes what a letter answers to a question with fields or a URL.
func formOffer(q bellcord.Question, letter string) string {
	switch {
	case letter == "n":
		return "decline"
	case letter == "y" && q.URL != "":
		return "continue"
	case letter == "y":
		return "fill in"
	}
	return ""
}

// openForm returns the form that is being filled in, or nil. A form of a question
// that is no longer open is dropped.
func (qs *questions) openForm() *form.Filling {
	if qs.form != nil && (qs.asked() != qs.form.Question.ID || qs.sending == qs.form.Question.ID) {
		qs.form = nil
	}
	return qs.form
}

// enterField sets the field that is next and, if it was the last one, sends the answer.
func (qs *questions) enterField(text string) ([]Action, error) {
	complete, err := qs.form.Enter(text)
	if err != nil {
		qs.setHint(err.Error())
	}
	if err != nil || !complete {
		qs.announce(qs.form.Prompt())
		return nil, err
	}
	answer := Answer{qs.turn, qs.form.Question.ID, qs.form.Reply()}
	qs.sending, qs.form = answer.Question, nil
	return []Action{answer}, nil
}

// notYet returns why letters do not answer the open question yet, or "". It is
// about the answers that allow something.
func (qs *questions) notYet() string {
	since := qs.panel.since("")
	switch {
	case qs.panel.question != qs.asked() || qs.panel.shown.IsZero(): // it is drawn later, or does not fit
		return "not yet"
	case since.IsZero():
		return "read all first: end"
	case qs.typed.After(since):
		since = qs.typed
	}
	if left := line.Settling - qs.now.Sub(since); left > 0 {
		return fmt.Sprintf("not yet: %.1f s", math.Ceil(left.Seconds()*10)/10)
	}
	return ""
}
