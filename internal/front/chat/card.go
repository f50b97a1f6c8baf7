package chat

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
)

// card is a tool call.
type card struct {
	call   bellcord.ToolCallRequested
	dir    string            // the session's directory
	typed  bool              // the user has typed it
	asked  []bellcord.Change // of its question, once that is answered
	first  string            // the beginning of its output
	output string            // the end of its output
	total  int               // complete lines of its output
	state  string            // in one word
	done   bool
	began  time.Time        // when it was started
	now    func() time.Time // nil if the time is not shown
}

const (
	liveLines   = 5       // last lines of output shown if folded
	firstLines  = 3       // first lines of output shown if folded, after the call has ended
	typedOutput = 30      // as liveLines, of a command that the user has typed
	allOutput   = 1 << 16 // bytes kept of the end of the output
	mostFirst   = 1 << 12 // bytes kept of its beginning
	timeWidth   = 40      // columns of the narrowest window with the time of a running call
)

func (c *card) fixed() bool { return c.done }

// print adds to the output. Only the end of a long output is kept; the log
// contains the rest.
func (c *card) print(text string) {
	if room := mostFirst - len(c.first); room > 0 {
		c.first += text[:min(room, len(text))]
	}
	c.total += strings.Count(text, "\n")
	c.output += text
	if len(c.output) > 2*allOutput {
		c.output = strings.ToValidUTF8(c.output[len(c.output)-allOutput:], "")
	}
}

func (c *card) lines(width int, unfolded bool) []string {
	lines := append(c.titleLines(width), c.diff(width, unfolded)...)
	for _, l := range c.outputLines(unfolded) {
		for _, part := range hard(l, max(1, width-4)) {
			lines = append(lines, styled(dim, "  │ "+part))
		}
	}
	return lines
}

// titleLines describes the call. A running call has its time at the right end of
// the first line.
func (c *card) titleLines(width int) []string {
	if c.state != "runs" || c.now == nil || width < timeWidth {
		return indented("", "  ", c.title(), width)
	}
	took := elapsed(c.now().Sub(c.began))
	return withRight(indented("", "  ", c.title(), width-1-len("  "+took)), took, width)
}

func (c *card) title() string {
	mark, style := "⚙", yellow
	switch c.state {
	case "finished":
		mark, style = "✓", green
	case "failed", "unknown":
		mark, style = "✗", red
	case "stopped", "not run":
		mark, style = "■", dim
	}
	title := styled(style, mark) + " " + brief(c.call)
	if changes := c.changes(); len(changes) > 0 {
		title += styled(dim, " · "+changeCount(changes))
	}
	switch {
	case c.done && c.state == "unknown":
		title += styled(dim, " · unknown: may have run")
	case c.done && c.state != "finished":
		title += styled(dim, " · "+c.state)
	}
	if c.call.ArgumentError != "" {
		title += styled(dim, " · "+harmless(oneLine(c.call.ArgumentError)))
	}
	return title
}

// outputLines returns the lines of output that are shown: all, or the last ones
// and, after the call has ended, also the first ones. A line counts those that are
// not shown.
func (c *card) outputLines(unfolded bool) []string {
	if unfolded {
		return lastLines(printed(c.output), allOutput)
	}
	last := liveLines
	if c.typed {
		last = typedOutput
	}
	all := lastLines(printed(c.output), firstLines+last+1)
	switch {
	case !c.done && len(all) > last:
		count := c.total
		if !strings.HasSuffix(c.output, "\n") {
			count++
		}
		return append(all[len(all)-last:], fmt.Sprintf("… %s · ctrl+o shows all", plural.Count(count, "line")))
	case !c.done:
		return all
	case len(all) <= firstLines+last:
		return all
	}
	first := strings.Split(printed(strings.ToValidUTF8(c.first, "")), "\n")
	first = first[:min(len(first), firstLines)]
	hidden := fmt.Sprintf("… %s · ctrl+o shows all", plural.Count(max(1, c.total-len(first)-last), "more line"))
	return slices.Concat(first, []string{hidden}, all[len(all)-last:])
}

// fate returns the word for the outcome of a call.
func fate(f bellcord.CallOutcome, failed bool) string {
	switch {
	case f == bellcord.CallStopped:
		return "stopped"
	case f == bellcord.CallNotStarted:
		return "not run"
	case f == bellcord.CallUnknown:
		return "unknown"
	case failed:
		return "failed"
	}
	return "finished"
}
