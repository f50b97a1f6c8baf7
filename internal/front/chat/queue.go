package chat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/slash"
)

// queue contains the queued prompts, in order.
type queue struct {
	waits     []waiting
	picked    bellcord.TurnID // the selected prompt
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
func (in *input) queueCommand(word, rest string) []Action {
	number, text, _ := strings.Cut(rest, " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(in.turns.queue.waits) {
		in.setHint("/" + word + " needs the number of a queued prompt; /queue lists them")
		return nil
	}
	turn := in.turns.queue.waits[n-1].turn
	switch text = strings.TrimSpace(text); {
	case word == "send":
		return []Action{Send{turn}}
	case word == "drop":
		in.turns.ownStops[turn] = true
		return []Action{Stop{Turn: turn, Mode: bellcord.StopNow}}
	case text == "":
		in.setHint("the new text is missing: /edit N TEXT")
		return nil
	}
	if in.turns.queue.waits[n-1].prompt.Task == bellcord.TaskCommand {
		return in.editCommand(turn, text)
	}
	if prompt, is := in.prompt(text); is {
		return []Action{Edit{turn, prompt}}
	}
	return nil
}

func (q *queue) list() string {
	if len(q.waits) == 0 {
		return "The queue is empty."
	}
	list := q.title()
	for i, w := range q.waits {
		list += fmt.Sprintf("\n%d. %s", i+1, w.text())
	}
	return list
}

const (
	queueKeys = "enter edits · d discards · s sends now · tab leaves"
	openQueue = "tab: manage"
)

// title returns how many prompts are queued, and how many the stop of a turn
// holds.
func (q *queue) title() string {
	var parts []string
	held := q.held()
	if n := len(q.waits) - held; n > 0 {
		parts = append(parts, fmt.Sprintf("queue %d", n))
	}
	if held > 0 {
		parts = append(parts, fmt.Sprintf("held %d: not sent, because the turn was stopped", held))
	}
	return strings.Join(parts, " · ")
}

// queueLines returns the queued prompts with their numbers, which are those of
// /edit, /drop and /send, the prompt that was discarded last, and the keys for
// them.
func (ts *turns) queueLines(width int) []string {
	var lines []string
	if len(ts.queue.waits) > 0 && (ts.running != nil || ts.queue.held() > 0) {
		lines = ts.queue.waitingLines(width)
	}
	n := len(ts.queue.discarded)
	if n == 0 {
		return lines
	}
	keys := "u undoes"
	if len(lines) == 0 {
		keys += " · tab leaves"
	}
	return append(lines, leftAndRight("discarded: "+ts.queue.discarded[n-1].text(), keys, width)...)
}

// queueBelow returns the lines of the queue that fit below the answers of a
// question, which must stay visible.
func (ts *turns) queueBelow(width, height int, asks bool) []string {
	lines := ts.queueLines(width)
	if asks && height < 2*answerRows && !ts.queue.focused() && len(lines) > 1 {
		return lines[:1]
	}
	return lines
}

func (q *queue) waitingLines(width int) []string {
	waits, title := q.waits, styled(bold, q.title())
	switch {
	case q.focused():
		title = ansi.Truncate(title, width, "…")
		return append(withRight([]string{title}, ansi.Truncate(queueKeys, width-2, "…"), width), q.rows()...)
	case len(waits) == 1 && !waits[0].held:
		return leftAndRight(title+styled(dim, " · ")+waits[0].text(), openQueue, width)
	}
	title = ansi.Truncate(title, width, "…")
	return append(withRight([]string{title}, openQueue, width), q.rows()...)
}

// leftAndRight returns a line with a text at its right end. The left part is
// shortened, unless little of it would be left.
func leftAndRight(left, right string, width int) []string {
	if room := width - 1 - len("  ") - ansi.StringWidth(right); room >= fewest {
		left = ansi.Truncate(left, room, "…")
	}
	return withRight([]string{ansi.Truncate(left, width, "…")}, right, width)
}

// fewest is the number of columns that the left part of a line needs at least.
const fewest = 16

// rows returns one row for each queued prompt. If some prompts are held and
// others are not, the rows name the held ones.
func (q *queue) rows() []string {
	waits, held := q.waits, q.held()
	from := max(0, min(q.find(q.picked), len(waits)-mostQueue))
	var rows []string
	for i, w := range waits[from:min(len(waits), from+mostQueue)] {
		text := w.text()
		if w.held && held < len(waits) {
			text = styled(yellow, "held: ") + text
		}
		number := fmt.Sprintf("%d ", from+i+1)
		if w.turn == q.picked {
			rows = append(rows, styled(bold, "› "+number)+text)
		} else {
			rows = append(rows, "  "+styled(dim, number)+text)
		}
	}
	return rows
}

// focused reports whether keys are for the queue: a prompt is selected, or the
// last discard can be undone.
func (q *queue) focused() bool { return q.picked != "" || len(q.discarded) > 0 }

// leave takes the focus from the queue.
func (q *queue) leave() { q.picked, q.discarded = "", nil }

// forgetDiscard removes the record of a discard that has failed.
func (q *queue) forgetDiscard(turn bellcord.TurnID) {
	q.discarded = slices.DeleteFunc(q.discarded, func(w waiting) bool { return w.turn == turn })
}

// queueKey handles keys for queued prompts while the input is empty, and
// reports whether it handled the key. Any other key takes the focus from the
// queue.
func (in *input) queueKey(key string) ([]Action, bool) {
	q := &in.turns.queue
	switch {
	case !in.empty():
		return nil, false
	case !q.focused():
		if key != "tab" || len(q.waits) == 0 {
			return nil, false
		}
		q.move(-1)
		return nil, true
	}
	switch key {
	case "up":
		q.move(-1)
	case "down":
		q.move(1)
	case "tab":
		q.leave()
	case "u":
		return in.undoDiscard(), true
	default:
		if i := q.find(q.picked); i >= 0 {
			return in.promptKey(q.waits[i], key)
		}
		q.leave()
		return nil, false
	}
	return nil, true
}

// promptKey handles a key for the selected prompt, and reports whether it handled
// the key.
func (in *input) promptKey(w waiting, key string) ([]Action, bool) {
	switch key {
	case "enter", "e":
		in.turns.queue.leave()
		in.edits = w.turn
		in.set(w.prompt.Text)
	case "d", "delete", "backspace":
		return in.turns.discard(w), true
	case "s":
		in.turns.queue.leave()
		return []Action{Send{w.turn}}, true
	default:
		in.turns.queue.leave()
		return nil, false
	}
	return nil, true
}

// undoDiscard sends the prompt that was discarded last again: it becomes the last
// one of the queue. If nothing runs, the prompt would start at once; it is then put
// into the input instead.
func (in *input) undoDiscard() []Action {
	n := len(in.turns.queue.discarded) - 1
	if n < 0 {
		in.setHint("no prompt was discarded")
		return nil
	}
	p := in.turns.queue.discarded[n].prompt
	in.turns.queue.discarded = in.turns.queue.discarded[:n]
	if in.turns.target() == "" {
		in.turns.queue.leave()
		in.set(asInput(p))
		in.images = slices.Clone(p.Images)
		in.setHint("nothing runs, so it was not queued again: the prompt is in the input")
		return nil
	}
	in.setHint("queued again, as the last prompt")
	turn := bellcord.NewTurnID()
	in.turns.sent = append(in.turns.sent, sent{turn: turn, text: p.Text})
	return []Action{Prompt{
		Session: in.session, Draft: in.draft, Turn: turn, Task: p.Task,
		Text: p.Text, Images: p.Images, Files: p.Files, Links: p.Links, Blocks: p.Blocks,
	}}
}

// asInput returns the input that sends a prompt, except its images. The texts of
// its files become a part of it.
func asInput(p bellcord.Prompt) string {
	switch text := p.FullText(); {
	case p.Task == bellcord.TaskCompact:
		return strings.TrimSpace("/compact " + text)
	case p.Task == bellcord.TaskCommand:
		return text
	case isCommand(text):
		return " " + text
	default:
		return slash.Escape(text)
	}
}
