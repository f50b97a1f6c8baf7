package telegram

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
	"github.com/bellcord/bellcord/internal/front/telegram/markup"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// question is one that a turn waits for, and the message that asks it.
type question struct {
	bellcord.Question
	message int
	fate    string // how it was closed; "" while it is open
}

// mostAsked is how much of a question is shown, in units: the whole command, but
// for what no message can hold.
const mostAsked = 3500

// ask puts a question with its answers as buttons. The lock is held.
func (c *chat) ask(t *turn, q bellcord.Question) {
	open := &question{Question: q}
	t.asked = append(t.asked, open)
	n := len(t.asked) - 1
	var row []wire.Button
	labels := choiceLabels(q.Choices)
	for i, choice := range q.Choices {
		row = append(row, wire.Button{Text: labels[i], Data: fmt.Sprintf("q:%s:%d:%d", t.id, n, i), Style: choiceStyle(choice)})
	}
	rows := [][]wire.Button{row, t.stopButton()}
	c.put(func(ctx context.Context) error {
		c.mu.Lock()
		gone := open.fate != "" || t.cleared
		c.mu.Unlock()
		if gone {
			return nil
		}
		id, err := c.front.Bot.Send(ctx, wire.Text{Place: c.place, Text: questionText(q), Buttons: rows})
		if err != nil {
			return err
		}
		c.sent(t, id)
		c.mu.Lock()
		defer c.mu.Unlock()
		open.message = id
		if open.fate != "" { // it was closed while it was sent
			c.retire(open)
		}
		return nil
	})
}

func questionText(q bellcord.Question) string {
	text := q.Text
	if markup.Units(text) > mostAsked {
		text = markup.Split(text, mostAsked)[0] + "\n… (cut off: read it in full in another client before you allow it)"
	}
	return "❓ " + text
}

// ownLabels are the labels of our own agent's choices, by their ids; kindLabels
// are those of other agents' choices, by their kinds.
var (
	ownLabels  = map[string]string{"allow": "✓ Once", "allow_session": "✓ This session", "allow_always": "✓ Always here", "reject": "✕ Deny"}
	kindLabels = map[string]string{"allow_once": "✓ Once", "allow_always": "✓ Always", "reject_once": "✕ Deny", "reject_always": "✕ Never"}
)

// choiceLabels are the words on the buttons of a question. No two are equal:
// choices that would look the same are shown by the agent's own words.
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

func choiceStyle(c bellcord.Choice) string {
	if strings.HasPrefix(c.Kind, "reject") {
		return "danger"
	}
	return ""
}

// closeQuestion closes a question that was answered, here or elsewhere.
func (c *chat) closeQuestion(t *turn, b bellcord.QuestionAnswered) {
	for _, q := range t.asked {
		if q.ID == b.Question && q.fate == "" {
			q.fate = "answered"
			labels := choiceLabels(q.Choices)
			for i, choice := range q.Choices {
				if choice.ID == b.Choice {
					q.fate = labels[i]
				}
			}
			if b.By != "" {
				q.fate += " — " + b.By
			}
			c.retire(q)
		}
	}
}

// closeQuestions closes those that a stop, or the end, left without an answer.
func (c *chat) closeQuestions(t *turn) {
	for _, q := range t.asked {
		if q.fate == "" {
			q.fate = "⏹ Withdrawn without an answer"
			if !t.cleared {
				c.retire(q)
			}
		}
	}
}

// asks reports whether the chat's session waits for an answer. The lock is held.
func (c *chat) asks() bool {
	for _, t := range c.turns {
		open := slices.ContainsFunc(t.asked, func(q *question) bool { return q.fate == "" })
		if open && t.session == c.session {
			return true
		}
	}
	return false
}

// retire takes a question's buttons away and says what became of it. The lock is
// held.
func (c *chat) retire(q *question) {
	if q.message == 0 {
		return
	}
	id, text := q.message, questionText(q.Question)+"\n\n"+q.fate
	c.put(func(ctx context.Context) error {
		return c.front.Bot.Edit(ctx, id, wire.Text{Place: c.place, Text: text})
	})
}

// choose gives a person's answer to the hub; it returns what they are told.
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
	if t == nil || n < 0 || n >= len(t.asked) || i < 0 || i >= len(t.asked[n].Choices) || t.asked[n].fate != "" {
		c.mu.Unlock()
		return tooLate
	}
	q := t.asked[n]
	choice, label := q.Choices[i], choiceLabels(q.Choices)[i]
	c.mu.Unlock()
	switch err := c.front.Hub.Answer(t.id, q.ID, choice.ID, by); {
	case errors.Is(err, bellcord.ErrNoQuestion), errors.Is(err, bellcord.ErrNoTurn), errors.Is(err, bellcord.ErrTurnEnded):
		return tooLate
	case err != nil:
		return c.apology(err.Error())
	}
	return label
}

// plainArgs is what a call was given, short: the one string where there is one.
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
	return flat.String()
}
