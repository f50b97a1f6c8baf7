package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/hub"
	"github.com/bellcord/bellcord/internal/plural"
)

// patience is how long a stop may take before the status shows what it waits
// for.
const patience = 2 * time.Second

// state returns the status in one line.
func (m *Model) state() string {
	switch {
	case m.running != nil && !m.running.stop.IsZero():
		return m.stoppingWords(m.running.stop, m.running.mode)
	case m.running != nil && len(m.questions) > 0:
		return "? waiting for you " + elapsed(m.now.Sub(m.running.started)) + " — " + m.stopKey()
	case m.running != nil:
		return m.runningWords() + " — " + m.stopKey()
	case len(m.sent) > 0 && !m.sent[0].stop.IsZero():
		return m.stoppingWords(m.sent[0].stop, "")
	case len(m.sent) > 0:
		return "○ sending… — " + m.stopKey()
	case m.queue.next() != "":
		if w := m.queue.waits[m.queue.find(m.queue.next())]; !w.stop.IsZero() {
			return m.stoppingWords(w.stop, "")
		}
		return "○ queued — " + m.stopKey()
	}
	return "○ ready"
}

func (m *Model) runningWords() string {
	parts := []string{"● running " + elapsed(m.now.Sub(m.running.started))}
	if m.running.scan != "" {
		parts = append(parts, m.running.scan)
	} else if c := m.story.working(); c != nil {
		parts = append(parts, brief(c.call))
	}
	used, cost := m.running.meter.total()
	if used > 0 {
		parts = append(parts, "~"+tokens(used)+" tok")
	}
	if cost > 0 {
		parts = append(parts, "~"+money(cost))
	}
	return strings.Join(parts, " · ")
}

func (m *Model) stoppingWords(since time.Time, mode bellcord.StopMode) string {
	words := "■ stopping…"
	if mode == bellcord.StopForce {
		words = "■ stopping now…"
	}
	if m.now.Sub(since) <= patience {
		return words
	}
	if m.running == nil {
		return words + " waiting for the server"
	}
	what := "the agent to return"
	for _, id := range m.story.order {
		if c := m.story.cards[id]; c.state == "runs" {
			what = brief(c.call)
			break
		}
	}
	words += " waiting for " + what
	if mode == bellcord.StopForce {
		return words
	}
	if left := (hub.DefaultGrace - m.now.Sub(since)).Round(time.Second); left > 0 {
		words += fmt.Sprintf(", at most %d s more", left/time.Second)
	}
	return words + " — ctrl+c forces"
}

// stopKey names the key that stops the turn. While something is open on top of the
// conversation, Esc closes that.
func (m *Model) stopKey() string {
	if m.layered() {
		return "ctrl+c to stop"
	}
	return "esc to stop"
}

// somebodyElse describes the person or cause that stopped a turn; it returns ""
// if this user stopped it.
func (m *Model) somebodyElse(r bellcord.Receipt) string {
	if m.ownStops[r.Turn] || r.Cause == nil {
		return ""
	}
	requester := string(r.Cause.Kind)
	if r.Cause.By != "" {
		requester = r.Cause.By
	}
	if r.Cause.Source != "" {
		requester += ", " + r.Cause.Source
	}
	return "by " + harmless(oneLine(requester))
}

// kept describes what a stop left, for example
// "kept: text, 3 tools; 1 tool stopped; 2 not run".
func kept(r bellcord.Receipt) string {
	var what []string
	if r.Kept.TextBytes > 0 {
		what = append(what, "text")
	}
	if n := r.Kept.FinishedCalls; n > 0 {
		what = append(what, plural.Count(n, "tool"))
	}
	if len(what) == 0 && len(r.Calls.Stopped) == 0 { // the output of a stopped call is kept
		what = []string{"nothing"}
	}
	var parts []string
	if len(what) > 0 {
		parts = append(parts, "kept: "+strings.Join(what, ", "))
	}
	named := false // only the first count names its unit
	for _, of := range []struct {
		n    int
		word string
	}{{len(r.Calls.Stopped), "stopped"}, {len(r.Calls.NotStarted), "not run"}, {len(r.Calls.Unknown), "unknown"}} {
		switch {
		case of.n > 0 && !named:
			named = true
			parts = append(parts, plural.Count(of.n, "tool")+" "+of.word)
		case of.n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.word))
		}
	}
	return strings.Join(parts, "; ")
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
		return bellcord.Dollars(billionths)
	}
	return fmt.Sprintf("$%.2f", float64(billionths)/1e9)
}
