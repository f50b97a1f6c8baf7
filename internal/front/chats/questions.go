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
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/plainjson"
)

// sendQuestion sends a question with its choices as buttons. The caller holds the lock.
func (c *chat) sendQuestion(t *turn, q bellcord.Question) {
	open := newQuestion(q, c.front.Limits)
	t.questions = append(t.questions, open)
	n := len(t.questions) - 1
	if len(q.Fields) > 0 {
		open.filling = newFilling(q, fmt.Sprintf("v:%s:%d:", t.id, n), open.limits)
		c.sendOpen(t, open)
		return
	}
	var row []Button
	labels := choiceLabels(q.Choices)
	for i, choice := range q.Choices {
		if !open.offers(choice) {
			continue
		}
		row = append(row, Button{Text: labels[i], Data: fmt.Sprintf("q:%s:%d:%d", t.id, n, i), Danger: strings.HasPrefix(choice.Kind, "reject")})
	}
	open.rows = [][]Button{row}
	for _, part := range open.parts[:len(open.parts)-1] {
		c.sendPart(t, open, part)
	}
	c.sendOpen(t, open)
}

// sendPart sends a part of a question before the last, unless the question is closed
// first. The caller holds the lock.
func (c *chat) sendPart(t *turn, open *question, text string) {
	c.put(func(ctx context.Context) error {
		c.mu.Lock()
		obsolete := open.fate != "" || t.cleared
		c.mu.Unlock()
		if obsolete {
			return nil
		}
		id, err := c.front.Messages.Send(ctx, Text{Place: c.place, Text: text})
		if err == nil {
			c.sent(t, id)
		}
		return err
	})
}

// sendOpen sends a question, unless it is closed first. The caller holds the lock.
func (c *chat) sendOpen(t *turn, open *question) {
	c.put(func(ctx context.Context) error {
		c.mu.Lock()
		obsolete := open.fate != "" || t.cleared
		text, rows := open.shown()
		c.mu.Unlock()
		if obsolete {
			return nil
		}
		id, err := c.front.Messages.Send(ctx, Text{Place: c.place, Text: text, Buttons: append(rows, t.stopButton())})
		if err != nil {
			return err
		}
		c.sent(t, id)
		c.mu.Lock()
		defer c.mu.Unlock()
		open.message = id
		if open.fate != "" { // closed while it was sent
			c.retire(open)
		} else if now, _ := open.shown(); now != text { // filled in while it was sent
			c.showOpen(t, open)
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
func (c *chat) showOpen(t *turn, q *question) {
	if q.message == "" || q.fate != "" {
		return
	}
	id := q.message
	text, rows := q.shown()
	c.put(func(ctx context.Context) error {
		return c.front.Messages.Edit(ctx, id, Text{Place: c.place, Text: text, Buttons: append(rows, t.stopButton())})
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
func (c *chat) closeQuestion(t *turn, b bellcord.QuestionAnswered) {
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
			c.retire(q)
		}
	}
}

// closeQuestions closes the questions without an answer after a stop or the
// turn's end. The caller holds the lock.
func (c *chat) closeQuestions(t *turn) {
	for _, q := range t.questions {
		if q.fate == "" {
			q.fate = "⏹ Withdrawn without an answer"
			if !t.cleared {
				c.retire(q)
			}
		}
	}
}

// hasQuestion reports whether the chat's session waits for an answer. The caller holds
// the lock.
func (c *chat) hasQuestion() bool {
	for _, t := range c.turns {
		open := slices.ContainsFunc(t.questions, func(q *question) bool { return q.fate == "" })
		if open && t.session == c.session {
			return true
		}
	}
	return false
}

// refusesAnswer reports whether a message must not become a prompt because it is
// probably meant as the answer to an open question. It then sends a reply.
func (c *chat) refusesAnswer(s incoming) bool {
	c.mu.Lock()
	open := c.hasQuestion()
	c.mu.Unlock()
	if !open || len(s.files) > 0 || !line.LooksLikeAnswer(s.text) {
		return false
	}
	c.sendText("I did not send this to the agent: a question is open. Use its buttons to answer it.")
	c.front.Handled(s.handled)
	return true
}

// retire removes a question's buttons and shows how it was closed. The caller
// holds the lock.
func (c *chat) retire(q *question) {
	if q.message == "" {
		return
	}
	id, text := q.message, q.last()+"\n\n"+q.fate
	c.put(func(ctx context.Context) error {
		return c.front.Messages.Edit(ctx, id, Text{Place: c.place, Text: text})
	})
}

// choose passes a person's answer to the hub and returns the reply to the
// press.
func (c *chat) choose(data, by string) string {
	parts := strings.Split(data, ":")
	if len(parts) != 3 {
		return tooLate
	}
	n, err := strconv.Atoi(parts[1])
	i, wrong := strconv.Atoi(parts[2])
	if err != nil || wrong != nil {
		return tooLate
	}
	c.mu.Lock()
	t := c.turns[bellcord.TurnID(parts[0])]
	if t == nil || n < 0 || n >= len(t.questions) || i < 0 || i >= len(t.questions[n].Choices) || t.questions[n].fate != "" || !t.questions[n].offers(t.questions[n].Choices[i]) {
		c.mu.Unlock()
		return tooLate
	}
	q := t.questions[n]
	choice, label := q.Choices[i], choiceLabels(q.Choices)[i]
	c.mu.Unlock()
	return c.answer(t.id, q.ID, bellcord.Reply{Choice: choice.ID}, by, label)
}

// answer passes an answer to the hub and returns the reply to the press: label, or
// why the answer was not taken.
func (c *chat) answer(turn bellcord.TurnID, question string, r bellcord.Reply, by, label string) string {
	switch err := c.front.Hub.Answer(turn, question, r, by); {
	case errors.Is(err, bellcord.ErrNoQuestion), errors.Is(err, bellcord.ErrNoTurn), errors.Is(err, bellcord.ErrTurnEnded):
		return tooLate
	case errors.Is(err, bellcord.ErrAnswerScope):
		return err.Error()
	case err != nil:
		return c.apology(err.Error())
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
