package form

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/bellcord/bellcord"
)

// Text returns a question's text with everything that it requests: its
// page, or its fields with the values that each accepts.
func Text(q bellcord.Question) string {
	text := q.Text
	if q.URL != "" {
		text += "\nOpen this page: " + q.URL
	}
	for _, f := range q.Fields {
		text += "\n- " + f.Label()
		if f.Description != "" {
			text += " (" + f.Description + ")"
		}
		text += ": " + expects(f)
	}
	return text
}

// expects describes the values of a field for a user: the labels of its options
// where they differ from the values, and their descriptions.
func expects(f bellcord.Field) string {
	words := f.Expects()
	for _, o := range f.Options {
		about := o.Value
		if o.Label() != o.Value {
			about += " is " + o.Title
		}
		if o.Description != "" {
			about += ": " + o.Description
		}
		if about != o.Value {
			words += "; " + about
		}
	}
	if f.Type == bellcord.FieldArray {
		words += "; separate them with commas"
	}
	return words
}

// Filling collects a user's values for the fields of a question, one after the
// other.
type Filling struct {
	Question bellcord.Question
	at       int
	values   map[string]json.RawMessage
}

// NewFilling returns an empty form for a question with fields.
func NewFilling(q bellcord.Question) *Filling {
	return &Filling{Question: q, values: map[string]json.RawMessage{}}
}

// Prompt describes the field that is next, such as "1/3 Count: a whole number
// (enter: 3)".
func (f *Filling) Prompt() string {
	field := f.Field()
	words := fmt.Sprintf("%d/%d %s: %s", f.at+1, len(f.Question.Fields), field.Label(), expects(field))
	switch {
	case len(field.Default) > 0:
		words += " (enter: " + plainValue(field.Default) + ")"
	case !field.Required:
		words += " (optional: enter skips it)"
	}
	return words
}

// plainValue returns a JSON value as a user types it.
func plainValue(value json.RawMessage) string {
	var text string
	var list []string
	switch {
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &list) == nil:
		return strings.Join(list, ", ")
	case string(value) == "true":
		return "yes"
	case string(value) == "false":
		return "no"
	}
	return string(value)
}

// Enter sets the value of the field that is next and reports whether the form is
// complete. An empty text selects the default or skips an optional field. If the
// text does not fit, Enter returns an error and the field stays next.
func (f *Filling) Enter(text string) (complete bool, err error) {
	if strings.TrimSpace(text) == "" && f.MaySkip() {
		return f.Set(nil), nil
	}
	value, err := f.Field().Parse(text)
	if err != nil {
		return false, err
	}
	return f.Set(value), nil
}

// Set sets the value of the field that is next and reports whether the form is
// complete. The value must fit; nil selects the default or none.
func (f *Filling) Set(value json.RawMessage) (complete bool) {
	name := f.Field().Name
	delete(f.values, name)
	if value != nil {
		f.values[name] = value
	}
	f.at++
	return f.at == len(f.Question.Fields)
}

// Field returns the field that is next. The form must not be complete.
func (f *Filling) Field() bellcord.Field { return f.Question.Fields[f.at] }

// Index returns the index of the field that is next, or the number of fields if
// the form is complete.
func (f *Filling) Index() int { return f.at }

// MaySkip reports whether the field that is next needs no value.
func (f *Filling) MaySkip() bool { return len(f.Field().Default) > 0 || !f.Field().Required }

// Back makes the previous field next.
func (f *Filling) Back() { f.at = max(0, f.at-1) }

// Reply returns the answer of a complete form.
func (f *Filling) Reply() bellcord.Reply {
	return bellcord.Reply{Choice: bellcord.ChoiceAccept, Values: f.values}
}

// AcceptsWithoutValues reports whether a question with fields or a URL can be
// accepted without a value.
func AcceptsWithoutValues(q bellcord.Question) bool {
	_, err := q.CheckReply(bellcord.Reply{Choice: bellcord.ChoiceAccept})
	return q.HasForm() && err == nil
}
