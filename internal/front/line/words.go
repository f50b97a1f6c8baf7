package line

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/plural"
	"github.com/bellcord/bellcord/internal/visible"
)

// Receipt formats a receipt for people, in one line.
func Receipt(r bellcord.Receipt) string {
	parts := []string{head(r)}
	if r.AgentAbandoned {
		parts = append(parts, "agent abandoned (it did not return)")
	}
	if k := kept(r.Kept); k != "" {
		parts = append(parts, "kept "+k)
	}
	if c := calls(r.Calls); c != "" {
		parts = append(parts, c)
	}
	if r.Changes != nil && !r.Changes.IsEmpty() {
		parts = append(parts, "files: "+r.Changes.Text())
	}
	if ended := r.Processes.EndedText(); ended != "" {
		parts = append(parts, ended)
	}
	if unknown := r.Processes.UnknownText(); unknown != "" {
		parts = append(parts, "processes "+unknown)
	}
	for _, p := range r.Processes.Survivors {
		parts = append(parts, fmt.Sprintf("! still running: %s (%d)", Visible(p.Name), p.PID))
	}
	for _, p := range r.Processes.Unconfirmed {
		parts = append(parts, "! not confirmed as ended: "+Visible(p.Name))
	}
	if n := len(r.Processes.Background); n > 0 {
		parts = append(parts, plural.Count(n, "process")+" in the background")
	}
	if n := len(r.WithdrawnQuestions); n > 0 {
		parts = append(parts, plural.Count(n, "question")+" withdrawn")
	}
	if n := len(r.HeldTurns); n > 0 {
		parts = append(parts, plural.Count(n, "queued prompt")+" held")
	}
	if n := len(r.DroppedTurns); n > 0 {
		parts = append(parts, plural.Count(n, "queued prompt")+" dropped")
	}
	parts = append(parts, usage(r.Usage))
	return strings.Join(parts, " · ")
}

// Notable reports whether the line of a receipt must be shown even where the end
// of a turn usually needs none: the turn is not done, its answer is not complete,
// files were changed, or processes were ended or may still run.
func Notable(r bellcord.Receipt) bool {
	p := r.Processes
	return r.End != bellcord.EndDone || r.IncompleteText() != "" || r.Changes != nil && !r.Changes.IsEmpty() || len(p.Ended)+len(p.Survivors)+len(p.Unconfirmed)+len(p.Background) > 0
}

func head(r bellcord.Receipt) string {
	took := ""
	if !r.Times.Started.IsZero() {
		took = " after " + r.Times.Settled.Sub(r.Times.Started).Round(time.Millisecond).String()
	}
	switch r.End {
	case bellcord.EndStopped:
		if r.Cause == nil { // from a server: local receipts always have a cause
			return "■ stopped" + took
		}
		stop := ""
		if !r.Times.StopRequested.IsZero() {
			stop = fmt.Sprintf(" (the stop took %s)", r.Times.Settled.Sub(r.Times.StopRequested).Round(100*time.Microsecond))
		}
		if r.Cause.Kind == bellcord.CausePerson {
			return "■ stopped" + StopCause(*r.Cause) + took + stop
		}
		return "■ stopped" + took + StopCause(*r.Cause) + stop
	case bellcord.EndFailed:
		return "✗ failed" + took + ": " + Visible(LastLine(strings.SplitN(r.Error, "\n", 2)[0]))
	case bellcord.EndLost:
		return "✗ lost: " + LostReason
	case bellcord.EndDone:
		if missing := r.IncompleteText(); missing != "" {
			return "! done" + took + ": " + missing
		}
	}
	return "● done" + took
}

// kept describes the output that is in the log, "" if there is none.
func kept(k bellcord.Kept) string {
	var parts []string
	if k.TextBytes > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes of text", k.TextBytes))
	}
	if k.FinishedCalls > 0 {
		parts = append(parts, plural.Count(k.FinishedCalls, "tool result"))
	}
	return strings.Join(parts, ", ")
}

func calls(c bellcord.Calls) string {
	var parts []string
	for _, of := range []struct {
		refs []bellcord.CallRef
		word string
	}{{c.Stopped, "stopped"}, {c.NotStarted, "not run"}, {c.Unknown, "unknown"}} {
		switch n := len(of.refs); {
		case n > 0 && len(parts) == 0:
			parts = append(parts, plural.Count(n, "tool call")+" "+of.word)
		case n > 0:
			parts = append(parts, fmt.Sprintf("%d %s", n, of.word))
		}
	}
	return strings.Join(parts, ", ")
}

// usage formats tokens and cost, with "about" and "≈" if they are estimated.
func usage(u bellcord.Usage) string {
	about, nearly := "", ""
	if !u.Exact {
		about, nearly = "about ", "≈"
	}
	text := fmt.Sprintf("%s%d tokens", about, u.Total())
	if u.CostNanoUSD > 0 {
		text += ", " + nearly + plural.Dollars(u.CostNanoUSD)
	}
	return text
}

// Visible returns a text in which deceptive characters are visible.
func Visible(text string) string { return visible.Text(text) }
