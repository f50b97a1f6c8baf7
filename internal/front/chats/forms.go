package chats

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/form"
)

// filling is a form that is filled in field by field: by buttons, or by the next
// message.
type filling struct {
	*form.Filling
	data   string // prefix of the data of its buttons
	limits Limits
	picked []string // options of the array that is next
}

func newFilling(q bellcord.Question, data string, limits Limits) *filling {
	return &filling{Filling: form.NewFilling(q), data: data, limits: limits}
}

const (
	mostLabel = 40 // characters
	buttonRow = 2  // buttons per row
)

// options is how many options of a field are shown as buttons, together with Done,
// Skip, Decline and Stop. A field with more options is answered by a message.
func (l Limits) options() int { return min(40, l.Buttons-4) }

// byButtons reports whether the field that is next is answered by buttons.
func (f *filling) byButtons() bool {
	field := f.Field()
	return field.Type == bellcord.FieldBoolean || len(field.Options) > 0 && len(field.Options) <= f.limits.options()
}

func (f *filling) complete() bool { return f.Index() == len(f.Question.Fields) }

// text returns the question with the field that is next.
func (f *filling) text() string {
	if f.complete() {
		return questionText(f.Question, f.limits.question())
	}
	short := f.Question
	short.Fields = nil
	text := questionText(short, f.limits.question()) + "\n\n" + f.Prompt()
	if d := f.Field().Description; d != "" {
		text += "\n" + d
	}
	if !f.byButtons() {
		text += "\n\n✎ Send the value as a message."
	}
	return text
}

// rows returns the buttons of the field that is next. Their data contains the
// field's index: a press on an earlier field is too late.
func (f *filling) rows() [][]Button {
	if f.complete() {
		return nil
	}
	button := func(label, what string) Button {
		return Button{Text: label, Data: fmt.Sprintf("%s%d.%s", f.data, f.Index(), what)}
	}
	var values, rest []Button
	field := f.Field()
	switch {
	case !f.byButtons():
	case field.Type == bellcord.FieldBoolean:
		values = []Button{button("Yes", "y"), button("No", "n")}
	default:
		for i, o := range field.Options {
			label := shortened(o.Label())
			if slices.Contains(f.picked, o.Value) {
				label = "☑ " + label
			} else if field.Type == bellcord.FieldArray {
				label = "☐ " + label
			}
			values = append(values, button(label, strconv.Itoa(i)))
		}
	}
	if f.byButtons() && field.Type == bellcord.FieldArray {
		rest = append(rest, button("✓ Done", "d"))
	}
	if f.MaySkip() {
		label := "Skip"
		if len(field.Default) > 0 {
			label = "Use the default"
		}
		rest = append(rest, button(label, "s"))
	}
	decline := button("✕ Decline", "x")
	decline.Danger = true
	return append(slices.Collect(slices.Chunk(values, buttonRow)), append(rest, decline))
}

func shortened(label string) string {
	if all := []rune(label); len(all) > mostLabel {
		return string(all[:mostLabel-1]) + "…"
	}
	return label
}

// press applies a button of the field that is next. It returns the reply to the
// press, and whether the form is complete.
func (f *filling) press(what string) (reply string, complete bool) {
	field := f.Field()
	switch what {
	case "y":
		return "Yes", f.Set(json.RawMessage("true"))
	case "n":
		return "No", f.Set(json.RawMessage("false"))
	case "s":
		if !f.MaySkip() {
			return tooLate, false
		}
		return "Skipped", f.Set(nil)
	case "d":
		value, err := json.Marshal(append([]string{}, f.picked...))
		if err == nil {
			err = field.Check(value)
		}
		if err != nil {
			return err.Error(), false
		}
		f.picked = nil
		return "Done", f.Set(value)
	}
	i, err := strconv.Atoi(what)
	if err != nil || i < 0 || i >= len(field.Options) {
		return tooLate, false
	}
	o := field.Options[i]
	if field.Type == bellcord.FieldArray {
		if at := slices.Index(f.picked, o.Value); at >= 0 {
			f.picked = slices.Delete(f.picked, at, at+1)
		} else {
			f.picked = append(f.picked, o.Value)
		}
		return o.Label(), false
	}
	value, err := json.Marshal(o.Value)
	if err != nil {
		return tooLate, false
	}
	return o.Label(), f.Set(value)
}

// pressField handles a button of a form and returns the reply to the press.
func (qs *questions) pressField(data, by string) string {
	qs.mu.Lock()
	t, q, rest := qs.find(data)
	index, what, _ := strings.Cut(rest, ".")
	at, err := strconv.Atoi(index)
	if err != nil || !q.takes(at) {
		qs.mu.Unlock()
		return tooLate
	}
	if what == "x" {
		qs.mu.Unlock()
		return qs.answer(t.id, q.ID, bellcord.Reply{Choice: bellcord.ChoiceDecline}, by, "Declined")
	}
	reply, complete := q.filling.press(what)
	qs.showOpen(t, q)
	values := q.filling.Reply()
	qs.mu.Unlock()
	if !complete {
		return reply
	}
	return qs.sendForm(t, q, values, by, reply)
}

// sendForm passes a complete form to the hub, like answer. If the answer is not
// taken, the form starts again.
func (qs *questions) sendForm(t *turn, q *question, values bellcord.Reply, by, label string) string {
	reply := qs.answer(t.id, q.ID, values, by, label)
	if reply != label {
		qs.mu.Lock()
		defer qs.mu.Unlock()
		q.filling = newFilling(q.Question, q.filling.data, q.limits)
		qs.showOpen(t, q)
	}
	return reply
}

// takes reports whether the given field of the question is next. The caller holds the
// lock.
func (q *question) takes(field int) bool {
	return q.filling != nil && !q.filling.complete() && q.filling.Index() == field
}

// takeValue uses a message as the value of a field that is next in an open form,
// and reports whether there is one. A message with files is a prompt.
func (qs *questions) takeValue(s incoming) bool {
	if s.text == "" || len(s.files) > 0 {
		return false
	}
	qs.mu.Lock()
	defer qs.mu.Unlock()
	t, q := qs.typedField()
	if q == nil {
		return false
	}
	complete, err := q.filling.Enter(s.text)
	if err != nil {
		qs.sendText(err.Error())
		qs.front.Handled(s.handled)
		return true
	}
	qs.showOpen(t, q)
	values := q.filling.Reply()
	qs.front.work.Go(func() { // the hub may have to contact another node
		if complete {
			if reply := qs.sendForm(t, q, values, s.by, ""); reply != "" {
				qs.sendText(reply)
			}
		}
		qs.front.Handled(s.handled)
	})
	return true
}

// typedField returns the open question of the chat's session whose next field is
// answered by a message, or nil. The caller holds the lock.
func (ts *shownTurns) typedField() (*turn, *question) {
	for _, t := range ts.turns {
		if t.session != ts.session || t.stop >= stopRecorded {
			continue
		}
		for _, q := range t.questions {
			if q.fate == "" && q.filling != nil && !q.filling.complete() && !q.filling.byButtons() {
				return t, q
			}
		}
	}
	return nil, nil
}
