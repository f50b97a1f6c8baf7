package chat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
)

// queue contains the queued prompts, in order.
type queue struct {
	waits     []waiting
	picked    bellcord.TurnID // the selected prompt
	edits     bellcord.TurnID // the prompt that is edited in the input
	discarded []waiting       // since the queue has the focus
}

type waiting struct {
	turn   bellcord.TurnID
	prompt bellcord.Prompt
	held   bool      // held back by a stop
	stop   time.Time // when its stop was requested
}

// text returns the prompt in one line, made harmless.
func (w waiting) text() string { return harmless(oneLine(w.prompt.Text)) }

func (q *queue) addPrompt(w waiting) { q.waits = append(q.waits, w) }

func (q *queue) find(turn bellcord.TurnID) int {
	return slices.IndexFunc(q.waits, func(w waiting) bool { return w.turn == turn })
}

func (q *queue) edit(turn bellcord.TurnID, text string) {
	if i := q.find(turn); i >= 0 {
		q.waits[i].prompt.Text = text
	}
}

// removePrompt removes and returns a prompt; it returns the zero value if the
// prompt is not queued.
func (q *queue) removePrompt(turn bellcord.TurnID) waiting {
	i := q.find(turn)
	if i < 0 {
		return waiting{}
	}
	w := q.waits[i]
	q.waits = slices.Delete(q.waits, i, i+1)
	if q.picked == turn {
		q.picked = ""
	}
	return w
}

func (q *queue) hold(turns []bellcord.TurnID) {
	for _, turn := range turns {
		if i := q.find(turn); i >= 0 {
			q.waits[i].held = true
		}
	}
}

// next returns the first prompt that is not held, or "".
func (q *queue) next() bellcord.TurnID {
	for _, w := range q.waits {
		if !w.held {
			return w.turn
		}
	}
	return ""
}

func (q *queue) held() int {
	n := 0
	for _, w := range q.waits {
		if w.held {
			n++
		}
	}
	return n
}

// move moves the selection up or down. The first step up selects the last
// prompt; a step below it clears the selection.
func (q *queue) move(by int) {
	at := q.find(q.picked)
	if at < 0 {
		at = len(q.waits)
	}
	at = max(0, at+by)
	if at >= len(q.waits) {
		q.picked = ""
		return
	}
	q.picked = q.waits[at].turn
}

// queueCommand runs the commands that change the queue.
func (m *Model) queueCommand(word, rest string) []Action {
	if word == "queue" {
		m.showNotice(m.queueList())
		return nil
	}
	number, text, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(m.queue.waits) {
		m.setHint("/" + word + " needs the number of a queued prompt; /queue lists them")
		return nil
	}
	turn := m.queue.waits[n-1].turn
	switch text = strings.TrimSpace(text); {
	case word == "send":
		return []Action{Send{turn}}
	case word == "drop":
		m.ownStops[turn] = true
		return []Action{Stop{Turn: turn, Mode: bellcord.StopNow}}
	case text == "":
		m.setHint("the new text is missing: /edit N TEXT")
		return nil
	}
	if m.queue.waits[n-1].prompt.Task == bellcord.TaskCommand {
		return m.editCommand(turn, text)
	}
	if prompt, is := m.prompt(text); is {
		return []Action{Edit{turn, prompt}}
	}
	return nil
}

func (m *Model) queueList() string {
	if len(m.queue.waits) == 0 {
		return "The queue is empty."
	}
	list := m.queueTitle()
	for i, w := range m.queue.waits {
		list += fmt.Sprintf("\n%d. %s", i+1, w.text())
	}
	return list
}
