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
	case bellcord.Stopped:
		rows := [][]wire.Button{{{Text: "▶ Continue", Data: "c:" + string(t.id)}, retry}}
		if r.Times.Started.IsZero() {
			rows[0] = rows[0][1:]
		}
		if n := len(r.Held); n > 0 {
			rows = append(rows, []wire.Button{
				{Text: fmt.Sprintf("▶ Send the %s that waits", count(n, "message")), Data: "r:" + string(t.session)},
				{Text: "✕ Discard", Data: "d:" + string(t.session)},
			})
		}
		return c.stoppedLine(r), rows
	case bellcord.Failed:
		return c.apology(r.Error), [][]wire.Button{{retry}}
	case bellcord.Lost:
		return "✗ Lost: the server died while it worked on this. What it had said is kept.", [][]wire.Button{{retry}}
	case bellcord.Done:
		if r.Cause != nil && r.Cause.Kind == bellcord.Person {
			return "It was done before the stop came.", nil
		}
	}
	return "", nil
}

// stoppedLine is the last line of a stopped turn: who, how long, what became of
// its tools.
func (c *chat) stoppedLine(r bellcord.Receipt) string {
	parts := []string{"⏹ Stopped" + c.who(r.Cause)}
	if r.Times.Started.IsZero() {
		parts[0] += " before it began"
	} else {
		parts = append(parts, span(r.Times.Settled.Sub(r.Times.Started)))
	}
	if tools := toolsLine(r.Calls); tools != "" {
		parts = append(parts, tools)
	}
	for _, of := range []struct {
		n    int
		word string
	}{{len(r.Held), "waiting"}, {len(r.Dropped), "dropped"}} {
		if of.n > 0 {
			parts = append(parts, count(of.n, "message")+" "+of.word)
		}
	}
	if n := len(r.Processes.Survivors); n > 0 {
		parts = append(parts, fmt.Sprintf("⚠ %d processes survived", n))
	}
	return strings.Join(parts, " · ")
}

// who says by whom it was stopped, where that is not the person who reads it.
func (c *chat) who(cause *bellcord.Cause) string {
	switch cause.Kind {
	case bellcord.Shutdown:
		return ": the server shuts down"
	case bellcord.Replaced:
		return ": something newer was said"
	case bellcord.Deadline:
		return ": its time was up"
	case bellcord.Budget, bellcord.StepLimit:
		return ": " + strings.ReplaceAll(string(cause.Kind), "_", " ")
	case bellcord.Disconnect, bellcord.Person:
	}
	from := ""
	if cause.From != "" && cause.From != "Telegram" {
		from = ", " + cause.From
	}
	if cause.By == "" || cause.By == c.owner && from == "" {
		return ""
	}
	return " by " + cause.By + from
}

func toolsLine(c bellcord.Calls) string {
	var parts []string
	if c.Finished > 0 {
		parts = append(parts, count(c.Finished, "tool")+" done")
	}
	for _, of := range []struct {
		n    int
		word string
	}{{len(c.Stopped), "stopped"}, {len(c.NotStarted), "not run"}, {len(c.Unknown), "unknown"}} {
		if of.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.word))
		}
	}
	if len(parts) > 0 && c.Finished == 0 {
		parts[0] = "tools: " + parts[0]
	}
	return strings.Join(parts, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
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
func toolLine(b bellcord.Called) string {
	line := b.Title
	if line == "" {
		line = b.Name
		if len(b.Args) > 2 {
			line += " " + plainArgs(b.Args)
		}
	}
	return short(strings.Join(strings.Fields(line), " "), mostTool)
}

// apology is what people read when something went wrong.
func (c *chat) apology(err string) string {
	if c.front.ExposeErrors {
		return "✗ " + short(strings.SplitN(err, "\n", 2)[0], mostReason)
	}
	return "✗ That did not work. The reason is in the server's log."
}

func short(line string, most int) string {
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}
