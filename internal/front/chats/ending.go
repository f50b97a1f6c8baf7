package chats

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/visible"
)

// ends returns the line below a turn's text that reports its end and its
// processes, and buttons for the next action.
func (c *chat) ends(t *turn, r bellcord.Receipt) (string, [][]Button) {
	words, rows := c.endLine(t, r)
	parts := processParts(r.Processes)
	if words != "" {
		parts = append([]string{words}, parts...)
	}
	return strings.Join(parts, " · "), rows
}

func (c *chat) endLine(t *turn, r bellcord.Receipt) (string, [][]Button) {
	retry := Button{Text: "↻ Retry", Data: "t:" + string(t.id)}
	switch r.End {
	case bellcord.EndStopped:
		rows := [][]Button{{{Text: "▶ Continue", Data: "c:" + string(t.id)}, retry}}
		if r.Times.Started.IsZero() {
			rows[0] = rows[0][1:]
		}
		if n := len(r.HeldTurns); n > 0 {
			rows = append(rows, []Button{
				{Text: sendLabel(n), Data: "r:" + string(t.id)},
				{Text: "✕ Discard", Data: "d:" + string(t.id)},
			})
		}
		return c.stoppedLine(r), rows
	case bellcord.EndFailed:
		return c.apology(r.Error), [][]Button{{retry}}
	case bellcord.EndLost:
		return "✗ Lost: " + line.LostReason + ". The answer so far is kept.", [][]Button{{retry}}
	case bellcord.EndDone:
		if r.Cause != nil && r.Cause.Kind == bellcord.CausePerson {
			return "The answer was complete before the stop arrived.", nil
		}
		return incompleteLine(t, r)
	}
	return "", nil
}

// incompleteLine reports an answer that is done and not complete.
func incompleteLine(t *turn, r bellcord.Receipt) (string, [][]Button) {
	switch missing := r.IncompleteText(); {
	case missing == "":
		return "", nil
	case r.Incomplete == bellcord.IncompleteMaxOutput:
		return "⚠ " + missing, [][]Button{{{Text: "▶ Continue", Data: "c:" + string(t.id)}}}
	default:
		return "⚠ " + missing, [][]Button{{{Text: "↻ Retry", Data: "t:" + string(t.id)}}}
	}
}

func sendLabel(n int) string {
	if n == 1 {
		return "▶ Send the held message"
	}
	return fmt.Sprintf("▶ Send %d held messages", n)
}

// stoppedLine returns the last line of a stopped turn: the cause, the duration,
// and the outcome of its tool calls and queued messages.
func (c *chat) stoppedLine(r bellcord.Receipt) string {
	parts := []string{"⏹ Stopped" + c.stopCause(r.Cause)}
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
			parts = append(parts, plural.Count(of.n, "message")+" "+of.word)
		}
	}
	return strings.Join(parts, " · ")
}

// processParts describes the processes that a turn's end ended, and those that
// may still run.
func processParts(p bellcord.Processes) []string {
	var parts []string
	if ended := p.EndedText(); ended != "" {
		parts = append(parts, ended)
	}
	if unknown := p.UnknownText(); unknown != "" {
		parts = append(parts, "processes "+unknown)
	}
	if n := len(p.Survivors); n > 0 {
		parts = append(parts, "⚠ "+plural.Count(n, "process")+" survived")
	}
	if n := len(p.Unconfirmed); n > 0 {
		parts = append(parts, "⚠ "+plural.Count(n, "process")+" not confirmed as ended")
	}
	return parts
}

// stopCause returns the cause of a stop for the last line. It is empty if the owner
// stopped the turn from this platform, or if no name is recorded.
func (c *chat) stopCause(cause *bellcord.Cause) string {
	if why := line.StopReason(cause.Kind); why != "" {
		return ": " + why
	}
	from := ""
	if cause.Source != "" && cause.Source != c.front.Platform {
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
			parts = append(parts, plural.Count(of.n, "tool call")+" "+of.word)
		case of.n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.word))
		}
	}
	return strings.Join(parts, ", ")
}

// span formats a duration for users.
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

// Limits of a tool line and an error message, in characters.
const (
	mostTool   = 120
	mostReason = 600
)

// toolLine returns a tool call for users: its title, or its name and arguments.
func toolLine(b bellcord.ToolCallRequested) string {
	line := b.Title
	if line == "" {
		line = b.Name
		if len(b.Arguments) > 2 {
			line += " " + plainArgs(b.Arguments)
		}
	}
	return short(visible.Text(strings.Join(strings.Fields(line), " ")), mostTool)
}

// apology returns the message for an error. It hides the details unless
// ExposeErrors is set.
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
