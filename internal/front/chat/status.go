package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/plural"
)

// patience is how long a stop may take before the status shows what it waits
// for.
const patience = time.Second

// status is the status of the conversation.
type status struct {
	style string
	words string   // the state, and since when it lasts
	short string   // in a window that is too narrow for words; may be ""
	call  string   // the running call; it is shortened first
	after string   // behind the call
	costs []string // not in a narrow window
	keys  string
}

// status returns what runs, and the key that stops it.
func (m *Model) status() status {
	running := status{style: green, keys: m.stopKey()}
	switch {
	case m.running != nil && !m.running.stop.IsZero():
		return m.stoppingStatus(m.running.stop, m.running.mode)
	case len(m.questions) > 0 && m.running != nil:
		running = m.waitingStatus(m.askedFor(), running.keys)
	case m.running != nil:
		return m.runningStatus()
	case len(m.sent) > 0 && !m.sent[0].stop.IsZero():
		return m.stoppingStatus(m.sent[0].stop, "")
	case len(m.sent) > 0:
		running.words = "○ sending…"
	case m.queue.next() != "":
		if w := m.queue.waits[m.queue.find(m.queue.next())]; !w.stop.IsZero() {
			return m.stoppingStatus(w.stop, "")
		}
		running.words = "○ queued"
	case m.undo != nil:
		return m.waitingStatus("", "esc cancels")
	default:
		return status{style: dim, words: "○ ready"}
	}
	return running
}

func (m *Model) runningStatus() status {
	s := status{style: green, words: "● running " + elapsed(m.now.Sub(m.running.started)), keys: m.stopKey()}
	if m.running.scan != "" {
		s.call = m.running.scan
	} else if c := m.story.working(); c != nil {
		s.call = brief(c.call)
	}
	if s.call != "" {
		s.words += " · "
	}
	used, cost := m.running.meter.total()
	if used > 0 {
		s.costs = append(s.costs, "~"+tokens(used)+" tok")
	}
	if cost > 0 {
		s.costs = append(s.costs, "~"+money(cost))
	}
	return s
}

func (m *Model) stoppingStatus(since time.Time, mode bellcord.StopMode) status {
	s := status{style: red, words: "■ stopping…"}
	switch {
	case mode == bellcord.StopForce:
		s.words = "■ stopping now…"
	case m.running != nil && m.guide == nil: // with a guide, Ctrl-C exits
		s.keys = "ctrl+c forces"
	}
	switch {
	case m.now.Sub(since) <= patience:
		return s
	case m.running == nil:
		s.words += " waiting for the server"
		return s
	}
	s.words, s.call = s.words+" waiting for ", "the agent to return"
	for _, id := range m.story.order {
		if c := m.story.cards[id]; c.state == "runs" {
			s.call = commandOrBrief(c.call)
			break
		}
	}
	if left := (hub.DefaultGrace - m.now.Sub(since)).Round(time.Second); left > 0 && mode != bellcord.StopForce {
		s.after = fmt.Sprintf(", %d s at most", left/time.Second)
	}
	return s
}

// askedFor returns for how long the open question has been open.
func (m *Model) askedFor() string {
	q := m.story.questions[m.questions[0].ID]
	if q == nil {
		return ""
	}
	return " " + elapsed(m.now.Sub(q.opened))
}

// waitingStatus returns the status while a question is open. A narrow window shows
// only how to answer it.
func (m *Model) waitingStatus(since, keys string) status {
	s := status{style: yellow, words: "? waiting for you" + since, keys: keys}
	if answer := m.lettersToPress(); answer != "" {
		s.words, s.short = s.words+" · "+answer, "? "+answer
	}
	return s
}

// lettersToPress returns the letters that answer the open question, or why they do
// not yet. While a form or a reason is typed, letters are text.
func (m *Model) lettersToPress() string {
	letters := m.letters()
	if last := len(letters) - 1; last > 0 {
		letters = []string{strings.Join(letters[:last], ", ") + " or " + letters[last]}
	}
	switch {
	case len(letters) == 0 || m.openForm() != nil || m.marked() != "" && m.reply.explains:
		return ""
	case m.marked() != "":
		return "enter confirms"
	case m.notYet() != "":
		return m.notYet()
	}
	return letters[0] + ", then enter"
}

// state returns the status in one line, without keys.
func (m *Model) state() string {
	s := m.status()
	return s.line(s.call, true)
}

func (s status) line(call string, costs bool) string {
	parts := []string{s.words + call + s.after}
	if costs {
		parts = append(parts, s.costs...)
	}
	return harmless(oneLine(strings.Join(parts, " · ")))
}

const (
	costWidth   = 40 // columns of the narrowest window with the costs of the running turn
	leastStatus = 5  // columns of the shortest status that has keys behind it
)

// statusLine returns the status for a window, with the keys at its right end. In
// a line that is too long the call is shortened, and the keys stay.
func (m *Model) statusLine(width int) string {
	s := m.status()
	room := width
	if keys := ansi.StringWidth(s.keys); keys > 0 && width-1-len("  ")-keys >= leastStatus {
		room = width - 1 - len("  ") - keys
	} else {
		s.keys = ""
	}
	if s.short != "" && ansi.StringWidth(s.words) > room {
		s.words = s.short
	}
	call, costs := oneLine(s.call), width >= costWidth
	if over := ansi.StringWidth(s.line(call, costs)) - room; over > 0 && call != "" {
		call = ansi.Truncate(call, max(1, ansi.StringWidth(call)-over), "…")
	}
	line := styled(s.style, ansi.Truncate(s.line(call, costs), room, "…"))
	if s.keys == "" {
		return line
	}
	return withRight([]string{line}, s.keys, width)[0]
}

// stopKey names the key that stops the turn. While something is open on top of the
// conversation, Esc closes that.
func (m *Model) stopKey() string {
	switch {
	case !m.layered():
		return "esc stops"
	case m.guide != nil: // Ctrl-C exits
		return ""
	}
	return "ctrl+c stops"
}

// elapsed formats a duration as on a clock: 0:42.
func elapsed(d time.Duration) string {
	s := int(max(0, d).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// tokens formats a number of tokens, abbreviated from one thousand on.
func tokens(n int64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}

// money formats an amount to the cent; an amount below one cent gets more
// digits.
func money(billionths int64) string {
	if billionths < 1e7 {
		return plural.Dollars(billionths)
	}
	return fmt.Sprintf("$%.2f", float64(billionths)/1e9)
}
