package updates

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/acp"
)

// openForm opens a dialog for a question with fields or a URL, except in a
// replay. An editor without elicitation gets a permission dialog instead.
func (e *Encoder) openForm(turn bellcord.TurnID, q bellcord.Question) {
	if e.Replaying {
		return
	}
	call := ""
	if about := e.open(q.Call); about != nil {
		call = about.id
	}
	d := dialog{turn: turn, question: q}
	if d.withdraw = e.Elicit(turn, q, call); d.withdraw == nil {
		shown := asPermission(q)
		// Its own call shows the whole text; the call of a hosted agent would not.
		d.withdraw = e.RequestPermission(turn, shown, e.wholeCall(e.placeholder(&d, shown), shown))
	}
	e.dialogs = append(e.dialogs, d)
}

// asPermission returns a question with fields or a URL as one that an editor can
// show in a permission dialog: a single field with few values as choices, and
// otherwise the choices of the whole form.
func asPermission(q bellcord.Question) bellcord.Question {
	if q.URL != "" {
		q.Text += "\n\nOpen this page: " + q.URL
		return q
	}
	if choices := fieldChoices(q); choices != nil {
		for _, o := range q.Fields[0].Options {
			if o.Description != "" {
				q.Text += "\n- " + o.Label() + ": " + o.Description
			}
		}
		q.Choices = choices
		return q
	}
	var text strings.Builder
	text.WriteString(q.Text + "\n")
	for _, f := range q.Fields {
		fmt.Fprintf(&text, "\n- %s: %s", f.Label(), f.Expects())
	}
	text.WriteString("\n\nThis editor shows no forms. Answer on the page, in bellcord chat or in Telegram, or decline here.")
	q.Text = text.String()
	q.Choices = bellcord.FormChoices()
	if _, err := q.CheckReply(bellcord.Reply{Choice: bellcord.ChoiceAccept}); err != nil {
		q.Choices = q.Choices[1:] // there are fields without a default
	} else {
		q.Choices[0].Text = "Accept the defaults"
	}
	return q
}

// mostFieldChoices is the largest number of values that are shown as choices.
const mostFieldChoices = 8

// valuePrefix marks a choice that is a value of the question's only field.
const valuePrefix = "value:"

// fieldChoices returns the values of a question's only field as choices, or nil
// if it has several fields or too many values.
func fieldChoices(q bellcord.Question) []bellcord.Choice {
	if len(q.Fields) != 1 {
		return nil
	}
	f := q.Fields[0]
	var choices []bellcord.Choice
	switch {
	case f.Type == bellcord.FieldBoolean:
		choices = []bellcord.Choice{{ID: valuePrefix + "true", Text: "Yes"}, {ID: valuePrefix + "false", Text: "No"}}
	case f.Type == bellcord.FieldString && len(f.Options) > 0 && len(f.Options) <= mostFieldChoices:
		for _, o := range f.Options {
			value, err := json.Marshal(o.Value)
			if err != nil {
				return nil
			}
			choices = append(choices, bellcord.Choice{ID: valuePrefix + string(value), Text: o.Label()})
		}
	default:
		return nil
	}
	for i := range choices {
		choices[i].Kind = string(acp.AllowOnce)
	}
	return append(choices, bellcord.FormChoices()[1])
}

// ChosenReply returns the answer for a choice of a permission dialog.
func ChosenReply(q bellcord.Question, choice string) bellcord.Reply {
	if value, is := strings.CutPrefix(choice, valuePrefix); is && len(q.Fields) == 1 {
		return bellcord.Reply{Choice: bellcord.ChoiceAccept, Values: map[string]json.RawMessage{q.Fields[0].Name: json.RawMessage(value)}}
	}
	return bellcord.Reply{Choice: choice}
}
