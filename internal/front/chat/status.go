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
	r, asks := m.turns.running, len(m.questions.open) > 0
	switch {
	case r != nil && r.stop.IsZero() && asks, m.turns.target() == "" && m.questions.undo != nil:
		return m.questions.status(m.stopKey())
	case r != nil && r.stop.IsZero():
		return m.story.runningStatus(m.stopKey())
	case r != nil && m.guide == nil: // with a guide, Ctrl-C exits
		return m.story.stoppingStatus(r.stop, r.mode, "ctrl+c forces")
	case r != nil:
		return m.story.stoppingStatus(r.stop, r.mode, "")
	}
	return m.story.waitingStatus(m.stopKey())
}

// waitingStatus returns the status while no turn runs.
func (s *story) waitingStatus(key string) status {
	var stop time.Time
	st := status{style: green, keys: key}
	next := s.turns.queue.find(s.turns.queue.next())
	switch {
	case len(s.turns.sent) > 0:
		st.words, stop = "○ sending…", s.turns.sent[0].stop
	case next >= 0:
		st.words, stop = "○ queued", s.turns.queue.waits[next].stop
	default:
		return status{style: dim, words: "○ ready"}
	}
	if !stop.IsZero() {
		return s.stoppingStatus(stop, "", "")
	}
	return st
}

func (s *story) runningStatus(key string) status {
	r := s.turns.running
	st := status{style: green, words: "● running " + elapsed(s.now.Sub(r.started)), call: r.scan, keys: key}
	if c := s.blocks.working(); c != nil && st.call == "" {
		st.call = brief(c.call)
	}
	if st.call != "" {
		st.words += " · "
	}
	used, cost := r.meter.total()
	if used > 0 {
		st.costs = append(st.costs, "~"+tokens(used)+" tok")
	}
	if cost > 0 {
		st.costs = append(st.costs, "~"+money(cost))
	}
	return st
}

// stoppingStatus returns the status of a stop, and the key that forces it.
func (s *story) stoppingStatus(since time.Time, mode bellcord.StopMode, key string) status {
	st := status{style: red, words: "■ stopping…", keys: key}
	if mode == bellcord.StopForce {
		st.words, st.keys = "■ stopping now…", ""
	}
	switch {
	case s.now.Sub(since) <= patience:
		return st
	case s.turns.running == nil:
		st.words += " waiting for the server"
		return st
	}
	st.words, st.call = st.words+" waiting for ", "the agent to return"
	for _, id := range s.blocks.order {
		if c := s.blocks.cards[id]; c != nil && c.state == "runs" {
			st.call = commandOrBrief(c.call)
			break
		}
	}
	if left := (hub.DefaultGrace - s.now.Sub(since)).Round(time.Second); left > 0 && mode != bellcord.StopForce {
		st.after = fmt.Sprintf(", %d s at most", left/time.Second)
	}
	return st
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

// fit returns the status for a window, with the keys at its right end. In
// a line that is too long the call is shortened, and the keys stay.
func (s status) fit(width int) string {
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
	case !m.input.layered():
		return "esc stops"
	case m.guide != nil: // Ctrl-C exits
		return ""
	}
	return "ctrl+c stops"
}

// stopSuffix returns the key that stops the turn, behind the keys of something that is
// open on top of the conversation.
func (m *Model) stopSuffix() string {
	if stop := m.stopKey(); m.turns.target() != "" && stop != "" {
		return " · " + stop
	}
	return ""
}

// statusBelow returns the status below something that covers the conversation.
func (m *Model) statusBelow(width int) []string {
	if m.turns.target() == "" {
		return nil
	}
	return []string{m.status().fit(width)}
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
