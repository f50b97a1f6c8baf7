package chats

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
)

// turn is a turn as shown in a chat. The chat's lock protects it.
type turn struct {
	id      bellcord.TurnID
	session bellcord.SessionID
	own     bool // prompted in this chat

	running     bool
	text        strings.Builder // written since the last complete message
	all         strings.Builder // everything written
	fresh       int             // bytes received since the last preview
	thinking    string
	tools       []tool
	trouble     string // why there is no progress
	scans       int    // reports of the scan that it waits for
	plan        string // the line about the agent's plan
	questions   []*question
	stop        *bellcord.Cause
	stoppedHere bool // stopped from this chat
	late        bool // its stop takes long
	cleared     bool // the chat was cleared: its output is not shown
	over        bool
	timers      []*time.Timer
	wakes       *time.Timer // shows the draft again
	lastSeen    time.Time   // when its preview was last sent

	edits       bool // shown by an edited message instead of a draft
	silent      bool // no preview, or, if its draft was stopped, none until the stop is late
	drafts      int  // number of drafts started
	flushed     int  // number of complete messages sent before the end
	before      int  // how many of those a previous process sent
	ids         []ID // messages sent for the turn
	live        ID   // the message that is edited
	placeholder bool // the message sent so far only shows that the turn is queued
	shown       string
	state       string           // kind of content that was shown
	receipt     bellcord.Receipt // set when the turn has ended
}

// tool is a tool call as shown to users.
type tool struct {
	id, line string
	fate     string // "" while it runs
}

// slot returns the outbox slot of the turn's preview.
func (t *turn) slot() string { return string(t.id) }

// draft returns the ID of the current draft.
func (t *turn) draft() int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.id))
	return int(h.Sum32()>>8)*64 + t.drafts%64 + 1
}

// drafted reports whether a draft belongs to the turn.
func (t *turn) drafted(id int) bool { return !t.over && (id-1)/64 == (t.draft()-1)/64 }

// nextStopMode records a stop from this chat and returns its mode: StopForce if
// the turn is already being stopped.
func (t *turn) nextStopMode() bellcord.StopMode {
	if t.stoppedHere || t.stop != nil {
		return bellcord.StopForce
	}
	t.stoppedHere = true
	return bellcord.StopNow
}

// after calls do after d, unless the turn has ended by then.
func (t *turn) after(d time.Duration, do func()) { t.timers = append(t.timers, time.AfterFunc(d, do)) }

// quit marks the turn as ended and stops its timers.
func (t *turn) quit() {
	t.over = true
	for _, timer := range t.timers {
		timer.Stop()
	}
	if t.wakes != nil {
		t.wakes.Stop()
	}
}

// without moves the messages sent so far to a new turn value, for takeAway to
// delete.
func (t *turn) without() *turn {
	discarded := &turn{ids: t.ids}
	t.ids = nil
	return discarded
}

// mostThought limits the stored thinking text, in bytes. Only its end is shown.
const mostThought = 8000

// applyBody applies an event to the turn and reports whether the display
// changes.
func (t *turn) applyBody(body bellcord.Body) bool {
	switch b := body.(type) {
	case bellcord.TextDelta:
		t.text.WriteString(b.Text)
		t.all.WriteString(b.Text)
		t.fresh, t.trouble = t.fresh+len(b.Text), ""
	case bellcord.ThinkingDelta:
		t.thinking, t.fresh, t.trouble = t.thinking+b.Text, t.fresh+len(b.Text), ""
		if len(t.thinking) > mostThought {
			t.thinking = strings.ToValidUTF8(t.thinking[len(t.thinking)-mostThought/2:], "")
		}
	case bellcord.ToolCallRequested:
		t.tools = append(t.tools, tool{id: b.Call, line: toolLine(b)})
		for _, builder := range []*strings.Builder{&t.text, &t.all} {
			if builder.Len() > 0 { // text before and after a tool call is separate
				builder.WriteString("\n\n")
			}
		}
	case bellcord.ToolCallUpdated:
		t.updateCall(b)
	case bellcord.ToolCallEnded:
		t.ended(b)
	case bellcord.PlanUpdated:
		t.plan = planLine(b)
	case bellcord.ModelRetryScheduled:
		t.trouble = fmt.Sprintf("↻ The model request failed. Retrying in %s.", span(b.RetryIn))
	case bellcord.FilesScanned:
		return t.scanned(b)
	case bellcord.StepStarted:
		t.trouble = ""
	default:
		return false
	}
	return true
}

// scanned shows a scan that takes long: from its second report on, because each
// change of a message counts for the limits of the platform.
func (t *turn) scanned(b bellcord.FilesScanned) bool {
	if t.scans++; !b.Done && t.scans == 1 {
		return false
	}
	text := b.Text()
	t.trouble = "🗂 " + strings.ToUpper(text[:1]) + text[1:] + "."
	if b.Done {
		t.scans, t.trouble = 0, ""
	}
	return true
}

// updateCall replaces the line of a call.
func (t *turn) updateCall(b bellcord.ToolCallUpdated) {
	for i := range t.tools {
		if t.tools[i].id == b.Call && b.Title != "" {
			t.tools[i].line = toolLine(bellcord.ToolCallRequested{Title: b.Title})
		}
	}
}

func (t *turn) ended(b bellcord.ToolCallEnded) {
	for i := range t.tools {
		if t.tools[i].id != b.Call {
			continue
		}
		t.tools[i].fate = "✓"
		switch {
		case b.Outcome == bellcord.CallStopped:
			t.tools[i].fate = "⏹"
		case b.Outcome != bellcord.CallFinished:
			t.tools[i].fate = "·"
		case b.Failed:
			t.tools[i].fate = "✗"
		}
	}
}

// Limits of a preview: the number of tool calls, and how much text must be new.
const (
	mostTools = 4
	newWords  = 24
)

// sight returns the turn's preview as plain text, and its state. A change of
// state is shown at once. An empty text is shown as thinking.
func (t *turn) sight(most Limits) (text, state string) {
	below := t.below()
	room := most.preview() - Units(below) - 2
	switch answer := strings.TrimSpace(ending(t.text.String(), 4*most.preview())); {
	case answer != "":
		text, state = Tail(answer, room), "text"
	case len(t.tools) == 0 && strings.TrimSpace(t.thinking) != "":
		text, state = "💭 "+Tail(strings.TrimSpace(t.thinking), min(most.thinking(), room-2)), "thought"
	}
	if below == "" {
		return text, state
	}
	return strings.TrimSpace(text + "\n\n" + below), state + below
}

// ending returns the end of a text, of at most that many bytes.
func ending(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-most:], "")
}

// planLine returns a plan in one line: how many steps are done, and the current
// step, or else the next one.
func planLine(p bellcord.PlanUpdated) string {
	done, current, next := 0, "", ""
	for _, e := range p.Entries {
		switch {
		case e.Status == "completed":
			done++
		case e.Status == "in_progress":
			current = e.Text
		case next == "":
			next = e.Text
		}
	}
	if len(p.Entries) == 0 {
		return ""
	}
	line := fmt.Sprintf("📋 %d of %d done", done, len(p.Entries))
	if step := strings.Join(strings.Fields(cmp.Or(current, next)), " "); step != "" {
		line += ": " + short(step, mostTool)
	}
	return line
}

// below returns the lines below the text: the tool calls, the plan, a retry or a
// stop.
func (t *turn) below() string {
	var lines []string
	from := max(0, len(t.tools)-mostTools)
	if from > 0 {
		lines = append(lines, fmt.Sprintf("… %d earlier", from))
	}
	for _, call := range t.tools[from:] {
		mark := call.fate
		if mark == "" {
			mark = "🔧"
		}
		lines = append(lines, mark+" "+call.line)
	}
	for _, line := range []string{t.plan, t.trouble} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	if t.stop != nil {
		lines = append(lines, t.stopLine())
	}
	return strings.Join(lines, "\n")
}

// stopLine returns the line of a stopping turn. If the stop is late, it names
// what the turn waits for.
func (t *turn) stopLine() string {
	if t.late {
		for _, call := range t.tools {
			if call.fate == "" {
				return "⏹ stopping… waiting for " + call.line
			}
		}
		return "⏹ stopping… waiting for the agent"
	}
	return "⏹ stopping…"
}
