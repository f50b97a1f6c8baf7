package chat

import (
	"fmt"
	"strings"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
	"github.com/bellcord/bellcord/internal/plural"
)

// turnEnd is the end of a turn: the only line that reports it, with the proof of a
// stop.
type turnEnd struct {
	receipt bellcord.Receipt
	cause   string // what stopped it, behind "stopped after 3.3 s"; "" if this user did
}

func (e *turnEnd) fixed() bool { return true }

func (e *turnEnd) lines(width int, _ bool) []string {
	style := dim
	switch e.receipt.End {
	case bellcord.EndStopped, bellcord.EndFailed, bellcord.EndLost:
		style = red
	case bellcord.EndDone:
		if e.receipt.IncompleteText() != "" {
			style = yellow
		}
	}
	mark, rest, _ := strings.Cut(e.words(), " ")
	return indented(styled(style, mark)+" ", "  ", styled(dim, rest), width)
}

func (e *turnEnd) words() string {
	r := e.receipt
	parts := append([]string{e.head()}, processWords(r)...)
	if r.End == bellcord.EndStopped {
		parts = append(parts, kept(r)...)
	}
	if n := len(r.Processes.Background); n > 0 {
		parts = append(parts, plural.Count(n, "process")+" in the background")
	}
	for _, of := range []struct {
		n          int
		noun, word string
	}{
		{len(r.WithdrawnQuestions), "question", "withdrawn"},
		{len(r.HeldTurns), "queued prompt", "held"},
		{len(r.DroppedTurns), "queued prompt", "dropped"},
	} {
		if of.n > 0 {
			parts = append(parts, plural.Count(of.n, of.noun)+" "+of.word)
		}
	}
	if r.Usage.Total() > 0 {
		parts = append(parts, about(r.Usage)+tokens(r.Usage.Total())+" tok")
	}
	if r.Usage.CostNanoUSD > 0 {
		parts = append(parts, about(r.Usage)+money(r.Usage.CostNanoUSD))
	}
	parts = append(parts, changedFiles(r.Changes)...)
	return strings.Join(parts, " · ")
}

// head returns the kind of the end and how long the turn took.
func (e *turnEnd) head() string {
	r := e.receipt
	var took time.Duration
	if !r.Times.Started.IsZero() {
		took = r.Times.Settled.Sub(r.Times.Started)
	}
	switch r.End {
	case bellcord.EndStopped:
		return "■ stopped after " + seconds(took) + e.cause
	case bellcord.EndFailed:
		return "✗ failed: " + harmless(oneLine(r.Error))
	case bellcord.EndLost:
		return "✗ lost: " + line.LostReason
	case bellcord.EndDone:
	}
	switch missing := r.IncompleteText(); {
	case missing == "":
		return "● done " + elapsed(took)
	case r.Incomplete == bellcord.IncompleteMaxOutput:
		return "! done " + elapsed(took) + " · " + missing + " · /continue"
	default:
		return "! done " + elapsed(took) + " · " + missing
	}
}

// kept describes what a stop left: the text and the results, which include the
// output of stopped calls, and the calls that are not among them.
func kept(r bellcord.Receipt) []string {
	var what []string
	if r.Kept.TextBytes > 0 {
		what = append(what, "text")
	}
	if n := r.Kept.FinishedCalls + len(r.Calls.Stopped); n > 0 {
		what = append(what, plural.Count(n, "result"))
	}
	if len(what) == 0 {
		what = []string{"nothing"}
	}
	parts := []string{"kept: " + strings.Join(what, ", ")}
	if n := len(r.Calls.NotStarted); n > 0 {
		parts = append(parts, plural.Count(n, "command")+" not run")
	}
	if n := len(r.Calls.Unknown); n > 0 {
		parts = append(parts, fmt.Sprintf("! %d unknown: may have run", n))
	}
	return parts
}

// processWords describes what happened to the processes of the turn: those that
// were ended, with the proof, and those that may still run.
func processWords(r bellcord.Receipt) []string {
	var parts []string
	if r.AgentAbandoned {
		parts = append(parts, "agent abandoned (it did not return)")
	}
	if ended, proof, proved := strings.Cut(r.Processes.EndedText(), ", "); proved {
		parts = append(parts, ended+" ("+proof+")")
	} else if ended != "" {
		parts = append(parts, ended)
	}
	if unknown := r.Processes.UnknownText(); unknown != "" {
		parts = append(parts, "processes "+harmless(unknown))
	}
	for _, p := range r.Processes.Survivors {
		parts = append(parts, fmt.Sprintf("! still running: %s (%d)", harmless(oneLine(p.Name)), p.PID))
	}
	for _, p := range r.Processes.Unconfirmed {
		parts = append(parts, "! not confirmed as ended: "+harmless(oneLine(p.Name)))
	}
	return parts
}

// about marks numbers that are estimated.
func about(u bellcord.Usage) string {
	if u.Exact {
		return ""
	}
	return "~"
}

// seconds formats a duration: 3.3 s, or as on a clock from one minute on.
func seconds(d time.Duration) string {
	if d >= time.Minute {
		return elapsed(d)
	}
	return fmt.Sprintf("%.1f s", max(0, d).Seconds())
}
