package chats

import (
	"fmt"
	"slices"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
	"github.com/bellcord/bellcord/internal/visible"
)

// question is a question of a turn and the messages that show it.
type question struct {
	bellcord.Question
	message ID       // the last one, with the buttons
	parts   []string // the text of each message
	offered []bellcord.Choice
	limits  Limits
	fate    string   // how it was closed; "" while it is open
	filling *filling // of a question with fields
	rows    [][]Button
}

// mostPieces is the largest number of messages of a question. A longer one can only
// be rejected in a chat.
const mostPieces = 6

// The notes below a question, or a part of it.
const (
	tooLong   = "\n… (cut off: it is too long for a chat. To allow it, read it in full on the page or in a terminal.)"
	formCut   = "\n… (cut off: read it in full in another client)"
	scopeNote = "\nOnly a person with the scope %s can allow it, on the page or in a terminal."
)

// newQuestion returns a question with its messages. The buttons are below the last
// one. A chat has no credentials, so where a scope is required, it only offers
// rejections; so does a question of which a part is missing.
func newQuestion(q bellcord.Question, l Limits) *question {
	open := &question{Question: q, limits: l, offered: q.ChoicesFor(nil)}
	if len(q.Fields) > 0 { // its fields are shown one by one
		q.Fields = nil
		open.parts = []string{questionText(q, l.question())}
		return open
	}
	pieces := cutText(visible.Text(form.Text(q)), l.question())
	switch {
	case len(pieces) == 1:
	case len(pieces) <= mostPieces:
		for i := range pieces {
			pieces[i] = fmt.Sprintf("Part %d of %d\n%s", i+1, len(pieces), pieces[i])
		}
	default:
		pieces = []string{pieces[0] + tooLong}
		q.Requires = bellcord.ScopeAdmin
		open.offered = q.ChoicesFor(nil)
	}
	for _, piece := range pieces {
		open.parts = append(open.parts, "❓ "+piece)
	}
	if open.Requires != "" {
		open.parts[len(pieces)-1] += fmt.Sprintf(scopeNote, open.Requires)
	}
	return open
}

// offers reports whether the chat has a button for a choice.
func (q *question) offers(c bellcord.Choice) bool {
	return slices.ContainsFunc(q.offered, func(o bellcord.Choice) bool { return o.ID == c.ID })
}

// last returns the text of the message with the buttons.
func (q *question) last() string { return q.parts[len(q.parts)-1] }

// cutText cuts a text into pieces of at most that many units, and changes nothing
// in it.
func cutText(text string, most int) []string {
	var pieces []string
	for Units(text) > most {
		piece := head(text, most)
		pieces, text = append(pieces, piece), text[len(piece):]
	}
	return append(pieces, text)
}

// questionText returns the text of a form, which is shown in one message.
func questionText(q bellcord.Question, most int) string {
	text := visible.Text(form.Text(q))
	if Units(text) > most {
		text = Split(text, most)[0] + formCut
	}
	return "❓ " + text
}
