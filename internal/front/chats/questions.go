package chats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/plainjson"
	"github.com/bellcord/bellcord/internal/visible"
)

// questions are the messages for questions of turns.
type questions struct{ *shownTurns }

// sendQuestion sends a question with its choices as buttons. The caller holds the lock.
func (qs *questions) sendQuestion(t *turn, q bellcord.Question) {
	open := newQuestion(q, qs.front.Limits)
	t.questions = append(t.questions, open)
	n := len(t.questions) - 1
	if len(q.Fields) > 0 {
		open.filling = newFilling(q, fmt.Sprintf("v:%s:%d:", t.id, n), open.limits)
		qs.sendOpen(t, open)
		return
	}
	var row []Button
	labels := choiceLabels(q.Choices)
	for i, choice := range q.Choices {
		if !open.offers(choice) {
			continue
		}
		danger := strings.HasPrefix(choice.Kind, "reject")
		row = append(row, Button{Text: labels[i], Data: fmt.Sprintf("q:%s:%d:%d", t.id, n, i), Danger: danger})
	}
	open.rows = [][]Button{row}
	for _, part := range open.parts[:len(open.parts)-1] {
		qs.sendPart(t, open, part)
	}
	qs.sendOpen(t, open)
}

// sendPart sends a part of a question before the last, unless the question is closed
// first. The caller holds the lock.
func (qs *questions) sendPart(t *turn, open *question, text string) {
	qs.put(func(ctx context.Context) error {
		qs.mu.Lock()
		obsolete := open.fate != "" || t.display == displayCleared
		qs.mu.Unlock()
		if obsolete {
			return nil
		}
		id, err := qs.front.Messages.Send(ctx, Text{Place: qs.place, Text: text})
		if err == nil {
			qs.sent(t, id, false)
		}
		return err
	})
}

// sendOpen sends a question, unless it is closed first. The caller holds the lock.
func (qs *questions) sendOpen(t *turn, open *question) {
	qs.put(func(ctx context.Context) error {
		qs.mu.Lock()
		obsolete := open.fate != "" || t.display == displayCleared
		text, rows := open.shown()
		qs.mu.Unlock()
		if obsolete {
			return nil
		}
		id, err := qs.front.Messages.Send(ctx, Text{Place: qs.place, Text: text, Buttons: append(rows, t.stopButton())})
		if err != nil {
			return err
		}
		qs.sent(t, id, false)
		qs.mu.Lock()
		defer qs.mu.Unlock()
		open.message = id
		if open.fate != "" { // closed while it was sent
			qs.retire(open)
		} else if now, _ := open.shown(); now != text { // filled in while it was sent
			qs.showOpen(t, open)
		}
		return nil
	})
}

// shown returns the text and the buttons of an open question. The caller holds the
// lock.
func (q *question) shown() (string, [][]Button) {
	if q.filling == nil {
		return q.last(), slices.Clone(q.rows)
	}
	return q.filling.text(), q.filling.rows()
}

// showOpen replaces the message of an open question. The caller holds the lock.
func (qs *questions) showOpen(t *turn, q *question) {
	if q.message == "" || q.fate != "" {
		return
	}
	id := q.message
	text, rows := q.shown()
	qs.put(func(ctx context.Context) error {
		return qs.front.Messages.Edit(ctx, id, Text{Place: qs.place, Text: text, Buttons: append(rows, t.stopButton())})
	})
}

// ownLabels are the labels for choices of the built-in agent, by ID; kindLabels
// are those for choices of other agents, by kind.
var (
	ownLabels  = map[string]string{"accept": "✓ Accept", "decline": "✕ Decline", "allow": "✓ Once", "allow_session": "✓ This session", "allow_always": "✓ Always here", "reject": "✕ Deny"}
	kindLabels = map[string]string{"allow_once": "✓ Once", "allow_always": "✓ Always", "reject_once": "✕ Deny", "reject_always": "✕ Never"}
)

// choiceLabels returns the button labels of a question. They are distinct:
// choices with the same label get the agent's text.
func choiceLabels(choices []bellcord.Choice) []string {
	labels := make([]string, len(choices))
	times := map[string]int{}
	for i, c := range choices {
		switch {
		case ownLabels[c.ID] != "":
			labels[i] = ownLabels[c.ID]
		case kindLabels[c.Kind] != "":
			labels[i] = kindLabels[c.Kind]
		default:
			labels[i] = c.Text
		}
		times[labels[i]]++
	}
	taken := map[string]bool{}
	for i, c := range choices {
		if times[labels[i]] > 1 && c.Text != "" {
			labels[i] = c.Text
		}
		if labels[i] == "" || taken[labels[i]] {
			labels[i] = fmt.Sprintf("%s (%d)", labels[i], i+1)
		}
		taken[labels[i]] = true
	}
	return labels
}

// closeQuestion closes an answered question, wherever the answer came from. The
// caller holds the lock.
func (qs *questions) closeQuestion(t *turn, b bellcord.QuestionAnswered) {
	for _, q := range t.questions {
		if q.ID == b.Question && q.fate == "" {
			q.fate = "answered"
			labels := choiceLabels(q.Choices)
			for i, choice := range q.Choices {
				if choice.ID == b.Choice {
					q.fate = labels[i]
				}
			}
			if b.Choice == bellcord.ChoiceWithdrawn {
				q.fate = "⏹ No longer needed"
			}
			if b.By != "" {
				q.fate += " — " + b.By
			}
			qs.retire(q)
		}
	}
}

// closeQuestions closes the questions without an answer after a stop or the
// turn's end. The caller holds the lock.
func (qs *questions) closeQuestions(t *turn) {
	for _, q := range t.questions {
		if q.fate == "" {
			q.fate = "⏹ Withdrawn without an answer"
			if t.display != displayCleared {
				qs.retire(q)
			}
		}
	}
}

// hasQuestion reports whether the chat's session waits for an answer. The caller holds
// the lock.
func (ts *shownTurns) hasQuestion() bool {
	for _, t := range ts.turns {
		open := slices.ContainsFunc(t.questions, func(q *question) bool { return q.fate == "" })
		if open && t.session == ts.session {
			return true
		}
	}
	return false
}

// refusesAnswer reports whether a message must not become a prompt because it is
// probably meant as the answer to an open question. It then sends a reply.
func (qs *questions) refusesAnswer(s incoming) bool {
	qs.mu.Lock()
	open := qs.hasQuestion()
	qs.mu.Unlock()
	if !open || len(s.files) > 0 || !line.LooksLikeAnswer(s.text) {
		return false
	}
	qs.sendText("I did not send this to the agent: a question is open. Use its buttons to answer it.")
	qs.front.Handled(s.handled)
	return true
}

// retire removes a question's buttons and shows how it was closed. The caller
// holds the lock.
func (qs *questions) retire(q *question) {
	if q.message == "" {
		return
	}
	id, text := q.message, q.last()+"\n\n"+q.fate
	qs.put(func(ctx context.Context) error {
		return qs.front.Messages.Edit(ctx, id, Text{Place: qs.place, Text: text})
	})
}

// find returns the open question of a button with the data TURN:NUMBER:REST, and the
// rest; nil if there is none. The caller holds the lock.
func (qs *questions) find(data string) (t *turn, q *question, rest string) {
	turn, data, _ := strings.Cut(data, ":")
	number, rest, _ := strings.Cut(data, ":")
	n, err := strconv.Atoi(number)
	t = qs.turns[bellcord.TurnID(turn)]
	if err != nil || t == nil || n < 0 || n >= len(t.questions) || t.questions[n].fate != "" {
		return nil, nil, ""
	}
	return t, t.questions[n], rest
}

// choose passes a person's answer to the hub and returns the reply to the
// press.
func (qs *questions) choose(data, by string) string {
	qs.mu.Lock()
	t, q, choice := qs.find(data)
	i, err := strconv.Atoi(choice)
	if err != nil || i < 0 || i >= len(q.Choices) || !q.offers(q.Choices[i]) {
		qs.mu.Unlock()
		return tooLate
	}
	reply, label := bellcord.Reply{Choice: q.Choices[i].ID}, choiceLabels(q.Choices)[i]
	qs.mu.Unlock()
	return qs.answer(t.id, q.ID, reply, by, label)
}

// answer passes an answer to the hub and returns the reply to the press: label, or
// why the answer was not taken.
func (sh *shared) answer(turn bellcord.TurnID, question string, r bellcord.Reply, by, label string) string {
	switch err := sh.front.Hub.Answer(turn, question, r, by); {
	case errors.Is(err, bellcord.ErrNoQuestion), errors.Is(err, bellcord.ErrNoTurn), errors.Is(err, bellcord.ErrTurnEnded):
		return tooLate
	case errors.Is(err, bellcord.ErrAnswerScope):
		return err.Error()
	case err != nil:
		return sh.apology(err.Error())
	}
	return label
}

// plainArgs returns a short form of a call's arguments: the only argument if it
// is a string, otherwise compact JSON.
func plainArgs(args json.RawMessage) string {
	var object map[string]any
	if json.Unmarshal(args, &object) == nil && len(object) == 1 {
		for _, v := range object {
			if s, is := v.(string); is {
				return s
			}
		}
	}
	var flat bytes.Buffer
	if json.Compact(&flat, args) != nil {
		return ""
	}
	return plainjson.Text(flat.Bytes())
}

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
