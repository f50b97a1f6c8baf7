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
)

// dialogs are pi's open questions. Pi dismisses some of them itself and does not
// say so: those are dropped with the run.
type dialogs struct {
	*speaker
	work    *hub.Work
	ctx     context.Context
	telling *telling

	waiting map[string]dialog
	asking  sync.WaitGroup
}

type dialog struct {
	method  string
	options []string
	done    context.CancelFunc
}

// answer is what a person chose.
type answer struct{ dialog, choice string }

// mostAsked is how long a dialog waits that has no time of its own.
const mostAsked = 30 * 24 * time.Hour

// open puts a dialog to a person as a question. One that wants text cannot be:
// a question has choices.
func (d *dialogs) open(r record, stopping bool) {
	switch {
	case !r.asks():
		return
	case stopping:
		d.cancel(r.ID)
		return
	case r.Method == "input" || r.Method == "editor":
		d.telling.emit(bellcord.ThinkingDelta{Text: fmt.Sprintf("[pi asked for text input, which Bellcord does not support: %s]\n", r.Title)})
		d.cancel(r.ID)
		return
	}
	q := bellcord.Question{Call: d.telling.onlyCall(), Text: r.Title, Choices: choices(r)}
	if r.Words != "" {
		q.Text = strings.TrimSpace(r.Title + "\n" + r.Words)
	}
	most := mostAsked
	if r.Timeout > 0 {
		most = time.Duration(r.Timeout * float64(time.Millisecond)) // then pi gives up
	}
	ctx, done := context.WithTimeout(d.ctx, most)
	if d.waiting == nil {
		d.waiting = map[string]dialog{}
	}
	d.waiting[r.ID] = dialog{r.Method, r.Options, done}
	d.asking.Go(func() {
		if choice, err := d.work.Ask(ctx, q); err == nil {
			d.inbox.put(record{Type: "dialog_answered", Answer: &answer{r.ID, choice}})
		}
	})
}

// sendChoice sends the person's choice to pi.
func (d *dialogs) sendChoice(a *answer) {
	open, waits := d.waiting[a.dialog]
	if !waits {
		return
	}
	open.done()
	delete(d.waiting, a.dialog)
	reply := map[string]any{"type": "extension_ui_response", "id": a.dialog}
	if open.method == "confirm" {
		reply["confirmed"] = a.choice == yes
	} else if i, err := strconv.Atoi(a.choice); err == nil && i >= 0 && i < len(open.options) {
		reply["value"] = open.options[i]
	} else {
		reply["cancelled"] = true
	}
	d.writeRecord(reply)
}

// cancelAll tells pi that nobody will answer.
func (d *dialogs) cancelAll() {
	for id := range d.waiting {
		d.cancel(id)
	}
	d.drop()
}

// drop gives up what is open, and returns when nobody asks any more.
func (d *dialogs) drop() {
	for id, open := range d.waiting {
		open.done()
		delete(d.waiting, id)
	}
	d.asking.Wait()
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

// kindOf guesses what sort of answer an option is: pi's dialogs are made by
// extensions, in words of their own. It colours a button and decides nothing.
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
