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
	id        bellcord.TurnID
	session   bellcord.SessionID
	own       bool // prompted in this chat
	phase     phase
	stop      stopProgress
	display   display
	questions []*question
	timers    []*time.Timer
	wakes     *time.Timer // shows the draft again
	content
	view
}

// phase is how far a turn has come.
type phase int

const (
	phaseQueued    phase = iota
	phaseAnnounced       // queued, and the only message for it says so
	phaseRunning
	phaseEnded
)

// stopProgress is how far the stop of a turn has come.
type stopProgress int

const (
	stopNone     stopProgress = iota
	stopAsked                 // in this chat
	stopRecorded              // in the log
	stopLate                  // it takes long
)

// display is how a chat shows a turn that has not ended.
type display int

const (
	displayDraft   display = iota
	displayEdited          // by a message that is edited
	displayNone            // not until a stop is late
	displayCleared         // not at all, because the chat was cleared
)

// content is what a turn has written and done.
type content struct {
	text     strings.Builder // written since the last complete message
	all      strings.Builder // everything written
	fresh    int             // bytes received since the last preview
	thinking string
	tools    []tool
	trouble  string // why there is no progress
	scans    int    // reports of the scan that it waits for
	plan     string // the line about the agent's plan
}

// view is what a chat shows of a turn.
type view struct {
	lastSeen time.Time // when its preview was last sent
	shown    string    // the preview
	kind     string    // of content that was shown
	drafts   int       // number of drafts started
	flushed  int       // number of complete messages sent before the end
	before   int       // how many of those a previous process sent
	ids      []ID      // messages sent for the turn
	live     ID        // the message that is edited
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
func (t *turn) drafted(id int) bool { return t.phase != phaseEnded && (id-1)/64 == (t.draft()-1)/64 }

// start records that the turn runs, and reports whether a message has announced it.
func (t *turn) start() (announced bool) {
	announced = t.phase == phaseAnnounced
	t.phase = phaseRunning
	return announced
}

// end records that the turn has ended, stops its timers, and reports whether only a
// message that announced it was sent.
func (t *turn) end() (announced bool) {
	announced = t.phase == phaseAnnounced
	t.phase = phaseEnded
	for _, timer := range t.timers {
		timer.Stop()
	}
	if t.wakes != nil {
		t.wakes.Stop()
	}
	return announced
}

// askStop records a stop from this chat and returns its mode: StopForce if the turn
// is already being stopped.
func (t *turn) askStop() bellcord.StopMode {
	if t.stop != stopNone {
		return bellcord.StopForce
	}
	t.stop = stopAsked
	return bellcord.StopNow
}

// recordStop records that the log has a stop.
func (t *turn) recordStop() { t.stop = max(t.stop, stopRecorded) }

// delayStop records that the stop takes long. From now on, the turn is shown.
func (t *turn) delayStop() {
	t.stop = stopLate
	if t.display == displayNone {
		t.display = displayEdited
	}
}

// rejectDraft shows the turn by an edited message, because its draft was rejected.
func (t *turn) rejectDraft() {
	if t.display == displayDraft {
		t.display = displayEdited
	}
	t.shown, t.kind = "", ""
}

// withdrawDraft shows the turn no longer, because its draft was stopped.
func (t *turn) withdrawDraft() {
	if t.display != displayCleared {
		t.display = displayNone
	}
}

// visible reports whether a preview of the turn can be shown.
func (t *turn) visible() bool {
	return t.phase != phaseEnded && (t.display == displayDraft || t.display == displayEdited)
}

// after calls do after d, unless the turn has ended by then.
func (t *turn) after(d time.Duration, do func()) { t.timers = append(t.timers, time.AfterFunc(d, do)) }

// without moves the messages sent so far to a new turn value, for takeAway to
// delete.
func (t *turn) without() *turn {
	discarded := &turn{view: view{ids: t.ids}}
	t.ids = nil
	return discarded
}

// mostThought limits the stored thinking text, in bytes. Only its end is shown.
const mostThought = 8000

// apply applies an event to the content and reports whether the display
// changes.
func (c *content) apply(body bellcord.Body) bool {
	switch b := body.(type) {
	case bellcord.TextDelta:
		c.text.WriteString(b.Text)
		c.all.WriteString(b.Text)
		c.fresh, c.trouble = c.fresh+len(b.Text), ""
	case bellcord.ThinkingDelta:
		c.thinking, c.fresh, c.trouble = c.thinking+b.Text, c.fresh+len(b.Text), ""
		if len(c.thinking) > mostThought {
			c.thinking = strings.ToValidUTF8(c.thinking[len(c.thinking)-mostThought/2:], "")
		}
	case bellcord.ToolCallRequested:
		c.tools = append(c.tools, tool{id: b.Call, line: toolLine(b)})
		for _, builder := range []*strings.Builder{&c.text, &c.all} {
			if builder.Len() > 0 { // text before and after a tool call is separate
				builder.WriteString("\n\n")
			}
		}
	case bellcord.ToolCallUpdated:
		c.updateCall(b)
	case bellcord.ToolCallEnded:
		c.ended(b)
	case bellcord.PlanUpdated:
		c.plan = planLine(b)
	case bellcord.ModelRetryScheduled:
		c.trouble = fmt.Sprintf("↻ The model request failed. Retrying in %s.", span(b.RetryIn))
	case bellcord.FilesScanned:
		return c.scanned(b)
	case bellcord.StepStarted:
		c.trouble = ""
	default:
		return false
	}
	return true
}

// scanned shows a scan that takes long: from its second report on, because each
// change of a message counts for the limits of the platform.
func (c *content) scanned(b bellcord.FilesScanned) bool {
	if c.scans++; !b.Done && c.scans == 1 {
		return false
	}
	text := b.Text()
	c.trouble = "🗂 " + strings.ToUpper(text[:1]) + text[1:] + "."
	if b.Done {
		c.scans, c.trouble = 0, ""
	}
	return true
}

// updateCall replaces the line of a call.
func (c *content) updateCall(b bellcord.ToolCallUpdated) {
	for i := range c.tools {
		if c.tools[i].id == b.Call && b.Title != "" {
			c.tools[i].line = toolLine(bellcord.ToolCallRequested{Title: b.Title})
		}
	}
}

func (c *content) ended(b bellcord.ToolCallEnded) {
	for i := range c.tools {
		if c.tools[i].id != b.Call {
			continue
		}
		c.tools[i].fate = "✓"
		switch {
		case b.Outcome == bellcord.CallStopped:
			c.tools[i].fate = "⏹"
		case b.Outcome != bellcord.CallFinished:
			c.tools[i].fate = "·"
		case b.Failed:
			c.tools[i].fate = "✗"
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
	if t.stop >= stopRecorded {
		lines = append(lines, t.stopLine())
	}
	return strings.Join(lines, "\n")
}

// stopLine returns the line of a stopping turn. If the stop is late, it names
// what the turn waits for.
func (t *turn) stopLine() string {
	if t.stop == stopLate {
		for _, call := range t.tools {
			if call.fate == "" {
				return "⏹ stopping… waiting for " + call.line
			}
		}
		return "⏹ stopping… waiting for the agent"
	}
	return "⏹ stopping…"
}
