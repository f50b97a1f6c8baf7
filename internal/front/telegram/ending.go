package telegram

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/telegram/wire"
)

// ends is how a turn's end is told: the line below its words, and what can be
// done next.
func (c *chat) ends(t *turn, r bellcord.Receipt) (string, [][]wire.Button) {
	retry := wire.Button{Text: "↻ Retry", Data: "t:" + string(t.id)}
	switch r.End {
	case bellcord.EndStopped:
		rows := [][]wire.Button{{{Text: "▶ Continue", Data: "c:" + string(t.id)}, retry}}
		if r.Times.Started.IsZero() {
			rows[0] = rows[0][1:]
		}
		if n := len(r.HeldTurns); n > 0 {
			rows = append(rows, []wire.Button{
				{Text: sendLabel(n), Data: "r:" + string(t.id)},
				{Text: "✕ Discard", Data: "d:" + string(t.id)},
			})
		}
		return c.stoppedLine(r), rows
	case bellcord.EndFailed:
		return c.apology(r.Error), [][]wire.Button{{retry}}
	case bellcord.EndLost:
		return "✗ Lost: the server process ended during this turn. The answer so far is kept.", [][]wire.Button{{retry}}
	case bellcord.EndDone:
		if r.Cause != nil && r.Cause.Kind == bellcord.CausePerson {
			return "The answer was complete before the stop arrived.", nil
		}
	}
	return "", nil
}

func sendLabel(n int) string {
	if n == 1 {
		return "▶ Send the held message"
	}
	return fmt.Sprintf("▶ Send %d held messages", n)
}

// stoppedLine is the last line of a stopped turn: who, how long, what became of
// its tools.
func (c *chat) stoppedLine(r bellcord.Receipt) string {
	parts := []string{"⏹ Stopped" + c.who(r.Cause)}
	if r.Times.Started.IsZero() {
		parts[0] += " before it started"
	} else {
		parts = append(parts, span(r.Times.Settled.Sub(r.Times.Started)))
	}
	if tools := toolsLine(r.Calls); tools != "" {
		parts = append(parts, tools)
	}
	for _, of := range []struct {
		n    int
		word string
	}{{len(r.HeldTurns), "held"}, {len(r.DroppedTurns), "dropped"}} {
		if of.n > 0 {
			parts = append(parts, plural(of.n, "message")+" "+of.word)
		}
	}
	if n := len(r.Processes.Survivors); n > 0 {
		parts = append(parts, "⚠ "+plural(n, "process")+" survived")
	}
	if n := len(r.Processes.Unconfirmed); n > 0 {
		parts = append(parts, "⚠ "+plural(n, "process")+" not confirmed as ended")
	}
	return strings.Join(parts, " · ")
}

// who says by whom it was stopped, where that is not the person who reads it.
func (c *chat) who(cause *bellcord.Cause) string {
	switch cause.Kind {
	case bellcord.CauseShutdown:
		return ": the server is shutting down"
	case bellcord.CauseReplaced:
		return ": replaced by a newer message"
	case bellcord.CauseDeadline:
		return ": time limit reached"
	case bellcord.CauseBudget:
		return ": budget used up"
	case bellcord.CauseStepLimit:
		return ": step limit reached"
	case bellcord.CauseDisconnect, bellcord.CausePerson:
	}
	from := ""
	if cause.Source != "" && cause.Source != "Telegram" {
		from = ", " + cause.Source
	}
	if cause.By == "" || cause.By == c.owner && from == "" {
		return ""
	}
	return " by " + cause.By + from
}

func toolsLine(c bellcord.Calls) string {
	var parts []string
	for _, of := range []struct {
		n    int
		word string
	}{{c.Finished, "done"}, {len(c.Stopped), "stopped"}, {len(c.NotStarted), "not run"}, {len(c.Unknown), "unknown"}} {
		switch {
		case of.n > 0 && len(parts) == 0:
			parts = append(parts, plural(of.n, "tool call")+" "+of.word)
		case of.n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.word))
		}
	}
	return strings.Join(parts, ", ")
}

func plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "s"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// span is a length of time for people.
func span(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}

// How much of a call and of a failure is shown in its line, in characters.
const (
	mostTool   = 120
	mostReason = 600
)

// toolLine is a call for people: its title, or its name and what it was given.
func toolLine(b bellcord.ToolCallRequested) string {
	line := b.Title
	if line == "" {
		line = b.Name
		if len(b.Arguments) > 2 {
			line += " " + plainArgs(b.Arguments)
		}
	}
	return short(strings.Join(strings.Fields(line), " "), mostTool)
}

// apology is what people read when something went wrong.
func (c *chat) apology(err string) string {
	if c.front.ExposeErrors {
		return "✗ " + short(strings.SplitN(err, "\n", 2)[0], mostReason)
	}
	return "✗ Something went wrong. The server's log has the details."
}

func short(line string, most int) string {
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}
