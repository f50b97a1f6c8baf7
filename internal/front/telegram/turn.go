package telegram

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/telegram/markup"
)

// turn is a turn as a chat shows it. The chat's lock guards it.
type turn struct {
	id      bellcord.TurnID
	session bellcord.SessionID
	mine    bool // it was prompted here

	running  bool
	text     strings.Builder // said since the last message was complete
	all      strings.Builder // said in all
	fresh    int             // bytes that came since something was last handed over to be shown
	thought  string
	tools    []tool
	trouble  string // why nothing comes
	asked    []*question
	stop     *bellcord.Cause
	told     bool // somebody here has stopped it
	late     bool // its stop takes a while
	cleared  bool // what it says is not wanted any more
	over     bool
	timers   []*time.Timer
	wakes    *time.Timer // when a draft has to be shown again
	lastSeen time.Time   // when its preview was last sent

	edits       bool  // it is shown by a message that is edited, not by a draft
	silent      bool  // its draft was stopped: nothing is shown until there is a need
	drafts      int   // how many drafts it has had
	flushed     int   // how many complete messages Telegram has taken before its end
	before      int   // how many of those a process before this one has sent
	ids         []int // messages that were sent for it
	live        int   // the one that is edited
	placeholder bool  // what was sent only says that it waits
	shown       string
	state       string           // what kind of thing was shown
	receipt     bellcord.Receipt // once it has ended
}

// tool is a call as people see it.
type tool struct {
	id, line string
	fate     string // "" while it runs
}

// slot names what the turn shows in the outbox.
func (t *turn) slot() string { return string(t.id) }

// draft is the number of the draft that shows the turn now.
func (t *turn) draft() int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(t.id))
	return int(h.Sum32()>>8)*64 + t.drafts%64 + 1
}

// drafted reports whether a draft is one of the turn's.
func (t *turn) drafted(id int) bool { return !t.over && (id-1)/64 == (t.draft()-1)/64 }

// nextStopMode records that the turn was stopped from this chat; the second
// time the mode is force.
func (t *turn) nextStopMode() bellcord.StopMode {
	if t.told || t.stop != nil {
		return bellcord.StopForce
	}
	t.told = true
	return bellcord.StopNow
}

// after has something done later, unless the turn has ended.
func (t *turn) after(d time.Duration, do func()) { t.timers = append(t.timers, time.AfterFunc(d, do)) }

// quit ends what the turn has waiting.
func (t *turn) quit() {
	t.over = true
	for _, timer := range t.timers {
		timer.Stop()
	}
	if t.wakes != nil {
		t.wakes.Stop()
	}
}

// without takes the messages from a turn that were sent for it so far, to be
// deleted.
func (t *turn) without() *turn {
	gone := &turn{ids: t.ids}
	t.ids = nil
	return gone
}

// mostThought bounds what is kept of thinking: its end is shown.
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
		t.thought, t.fresh, t.trouble = t.thought+b.Text, t.fresh+len(b.Text), ""
		if len(t.thought) > mostThought {
			t.thought = strings.ToValidUTF8(t.thought[len(t.thought)-mostThought/2:], "")
		}
	case bellcord.ToolCallRequested:
		t.tools = append(t.tools, tool{id: b.Call, line: toolLine(b)})
		for _, said := range []*strings.Builder{&t.text, &t.all} {
			if said.Len() > 0 { // what was said before a tool and behind it are two things
				said.WriteString("\n\n")
			}
		}
	case bellcord.ToolCallEnded:
		t.ended(b)
	case bellcord.ModelRetryScheduled:
		t.trouble = fmt.Sprintf("↻ The model request failed. Retrying in %s.", span(b.RetryIn))
	case bellcord.StepStarted:
		t.trouble = ""
	default:
		return false
	}
	return true
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

// The lengths of what is shown while a turn runs, with room for what stands
// below it.
const (
	mostShown   = 3900
	mostMused   = 3800
	mostTools   = 4
	newWords    = 24
	refreshTime = 20 * time.Second
)

// sight is what is shown of the turn now, as plain text, and what kind of thing
// that is: a new kind is shown at once. Nothing at all is shown as thinking.
func (t *turn) sight() (text, state string) {
	below := t.below()
	room := mostShown - markup.Units(below) - 2
	switch said := strings.TrimSpace(ending(t.text.String())); {
	case said != "":
		text, state = markup.Tail(said, room), "text"
	case len(t.tools) == 0 && strings.TrimSpace(t.thought) != "":
		text, state = "💭 "+markup.Tail(strings.TrimSpace(t.thought), min(mostMused, room-2)), "thought"
	}
	if below == "" {
		return text, state
	}
	return strings.TrimSpace(text + "\n\n" + below), state + below
}

// ending is the last part of a text, more of it than is ever shown.
func ending(text string) string {
	const most = 4 * mostShown
	if len(text) <= most {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-most:], "")
}

// below is what stands under what was said: the tools, and what is waited for.
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
	if t.trouble != "" {
		lines = append(lines, t.trouble)
	}
	if t.stop != nil {
		lines = append(lines, t.stopLine())
	}
	return strings.Join(lines, "\n")
}

// stopLine says that the turn is stopping, and after a while what for.
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
