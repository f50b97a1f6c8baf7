package line

import (
	"slices"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/clip"
	"github.com/bellcord/bellcord/internal/form"
)

// Watch shows a session across its turns: prompts, answers, receipts. It keeps
// track of the running turn and its open questions.
type Watch struct {
	View *View

	texts     map[bellcord.TurnID]string // prompts of turns that have not ended
	commands  map[bellcord.TurnID]bool   // of accepted turns: the prompt is a command that the user has typed
	running   bellcord.TurnID
	stopping  bellcord.TurnID // the turn that was shown as stopping
	shown     string          // the words that were shown
	questions []bellcord.Question
}

// Running returns the running turn, or "".
func (w *Watch) Running() bellcord.TurnID { return w.running }

// Question returns the question that the running turn has waited for longest;
// false if no question is open.
func (w *Watch) Question() (bellcord.Question, bool) {
	if len(w.questions) == 0 {
		return bellcord.Question{}, false
	}
	return w.questions[0], true
}

// Stopping shows that the running turn is stopping, before the log does. The
// event in the log is then not shown.
func (w *Watch) Stopping(words string) error {
	if w.stopping == w.running && w.shown == words {
		return nil
	}
	w.stopping, w.shown = w.running, words
	return w.View.Note("■ %s", words)
}

// Show shows an event. If the event is a turn's end, it returns the receipt.
func (w *Watch) Show(ev bellcord.Event) (*bellcord.Receipt, error) {
	reported := w.stopping == ev.Turn
	waits := w.running != "" && w.running != ev.Turn
	w.note(ev)
	switch b := ev.Body.(type) {
	case bellcord.TurnAccepted:
		if waits {
			return nil, w.View.Note("+ queued: %s", Visible(clip.FirstWords(b.Text)))
		}
	case bellcord.TurnStarted:
		return nil, w.View.Note("> %s", Visible(strings.TrimRight(w.texts[ev.Turn], "\n")))
	case bellcord.ToolOutputDelta:
		if w.commands[ev.Turn] { // the user has typed the command and wants its output
			ev.Body = bellcord.TextDelta{Text: b.Text}
		}
	case bellcord.QuestionOpened:
		return nil, w.View.Note("? %s", Visible(form.Text(b.Question)))
	case bellcord.QuestionAnswered:
		return nil, w.View.Note("  %s", answeredLine(b))
	case bellcord.StopRequested:
		if reported {
			return nil, nil
		}
	case bellcord.TurnEnded:
		return &b.Receipt, w.View.Note("%s", Receipt(b.Receipt))
	case bellcord.ChangesRecorded:
		if b.Changes.IsEmpty() {
			return nil, nil
		}
		return nil, w.View.Note("files: %s", b.Changes.Text())
	case bellcord.ProcessesRecovered:
		return nil, w.View.Note("%s", b.Text())
	case bellcord.ConversationRewound:
		return nil, w.View.Note("%s", b.Text())
	case bellcord.Undone:
		return nil, w.View.Note("%s", b.Text())
	}
	return nil, w.View.Show(ev)
}

// note updates the state of the session.
func (w *Watch) note(ev bellcord.Event) {
	if w.texts == nil {
		w.texts, w.commands = map[bellcord.TurnID]string{}, map[bellcord.TurnID]bool{}
	}
	switch b := ev.Body.(type) {
	case bellcord.TurnAccepted:
		w.texts[ev.Turn] = b.Text
		w.commands[ev.Turn] = b.Task == bellcord.TaskCommand
	case bellcord.PromptEdited:
		w.texts[ev.Turn] = b.Text
	case bellcord.TurnStarted:
		w.running = ev.Turn
	case bellcord.QuestionOpened:
		w.questions = append(w.questions, b.Question)
	case bellcord.QuestionAnswered:
		w.questions = slices.DeleteFunc(w.questions, func(q bellcord.Question) bool { return q.ID == b.Question })
	case bellcord.StopRequested:
		w.stopping = ev.Turn
		if b.Cause.Mode != bellcord.StopAfterStep {
			w.questions = nil // a stop withdraws them
		}
	case bellcord.TurnEnded:
		delete(w.texts, ev.Turn)
		delete(w.commands, ev.Turn)
		if w.running == ev.Turn {
			w.running, w.questions = "", nil
		}
	}
}

func answeredLine(a bellcord.QuestionAnswered) string {
	text := "answered: " + Visible(a.Choice)
	if a.Reason != "" {
		text += ": " + Visible(strings.Join(strings.Fields(a.Reason), " ")) // one line
	}
	if a.By != "" {
		text += " (" + Visible(a.By) + ")"
	}
	return text
}
