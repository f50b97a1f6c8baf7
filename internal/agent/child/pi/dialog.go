package pi

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/acp"
)

// dialogs contains pi's open dialogs. Pi dismisses some of them without a
// notice; those are dropped at the end of the run.
type dialogs struct {
	*speaker
	work      *hub.Work
	ctx       context.Context
	converter *converter

	waiting map[string]dialog
	pending sync.WaitGroup
}

type dialog struct {
	method  string
	options []string
	done    context.CancelFunc
}

// answer is the user's answer to a dialog.
type answer struct {
	dialog string
	reply  bellcord.Reply
}

// dialogTimeout is how long a dialog without a timeout waits.
const dialogTimeout = 30 * 24 * time.Hour

// open shows a dialog to the user as a question. A dialog for text is a form with
// one field. A form that requests a secret is cancelled.
func (d *dialogs) open(r record, stopping bool) {
	switch {
	case !r.isDialog():
		return
	case stopping:
		d.cancel(r.ID)
		return
	}
	q := question(r)
	q.Call = d.converter.onlyCall()
	if err := q.ValidateForm(); err != nil {
		d.converter.emit(bellcord.ThinkingDelta{Text: fmt.Sprintf("[pi's question was cancelled: %s: %v]\n", r.Title, err)})
		d.cancel(r.ID)
		return
	}
	most := dialogTimeout
	if r.Timeout > 0 {
		most = time.Duration(r.Timeout * float64(time.Millisecond)) // pi gives up after this time
	}
	ctx, done := context.WithTimeout(d.ctx, most)
	if d.waiting == nil {
		d.waiting = map[string]dialog{}
	}
	d.waiting[r.ID] = dialog{r.Method, r.Options, done}
	d.pending.Go(func() {
		if reply, err := d.work.AskForm(ctx, q); err == nil {
			d.inbox.put(record{Type: "dialog_answered", Answer: &answer{r.ID, reply}})
		}
	})
}

// sendAnswer sends the user's answer to pi.
func (d *dialogs) sendAnswer(a *answer) {
	open, waits := d.waiting[a.dialog]
	if !waits {
		return
	}
	open.done()
	delete(d.waiting, a.dialog)
	reply := map[string]any{"type": "extension_ui_response", "id": a.dialog}
	i, err := strconv.Atoi(a.reply.Choice)
	switch {
	case open.method == "confirm":
		reply["confirmed"] = a.reply.Choice == yes
	case open.method == "select" && err == nil && i >= 0 && i < len(open.options):
		reply["value"] = open.options[i]
	case a.reply.Choice == bellcord.ChoiceAccept:
		reply["value"] = dataOf[string](a.reply.Values[textField])
	default:
		reply["cancelled"] = true
	}
	d.writeRecord(reply)
}

// cancelAll cancels all open dialogs in pi.
func (d *dialogs) cancelAll() {
	for id := range d.waiting {
		d.cancel(id)
	}
	d.drop()
}

// drop withdraws all open questions, and returns when their goroutines have
// ended.
func (d *dialogs) drop() {
	for id, open := range d.waiting {
		open.done()
		delete(d.waiting, id)
	}
	d.pending.Wait()
}

// textField is the field of a dialog for text.
const textField = "text"

// question returns a dialog as a question.
func question(r record) bellcord.Question {
	q := bellcord.Question{Text: strings.TrimSpace(r.Title + "\n" + r.Words)}
	if r.Method != "input" && r.Method != "editor" {
		q.Choices = choices(r)
		return q
	}
	field := bellcord.Field{Name: textField, Type: bellcord.FieldString, Title: r.Title, Description: r.Placeholder}
	if r.Prefill != "" {
		field.Default = acp.Encode(r.Prefill)
	}
	q.Fields = []bellcord.Field{field}
	return q
}

const yes, no = "yes", "no"

func choices(r record) []bellcord.Choice {
	if r.Method == "confirm" {
		return []bellcord.Choice{{ID: yes, Text: "Yes", Kind: "allow_once"}, {ID: no, Text: "No", Kind: "reject_once"}}
	}
	all := make([]bellcord.Choice, len(r.Options))
	for i, option := range r.Options {
		all[i] = bellcord.Choice{ID: strconv.Itoa(i), Text: option, Kind: kindOf(option)}
	}
	return all
}

// kindOf guesses the kind of an option from its words, because pi's dialogs are
// made by extensions. The kind only selects the color of a button.
func kindOf(option string) string {
	words := strings.Fields(strings.ToLower(option))
	kind, lasts := "allow", "once"
	for i, word := range words {
		switch strings.Trim(word, ".,:;!()") {
		case "no", "block", "deny", "reject", "cancel", "refuse", "never", "don't", "abort":
			if i == 0 {
				kind = "reject"
			}
		case "always":
			lasts = "always"
		}
	}
	return kind + "_" + lasts
}
