package line

import (
	"strings"

	"github.com/bellcord/bellcord"
)

// LostReason is why a turn is lost, on every screen.
const LostReason = "Bellcord ended during this turn"

// reasons names the causes of a stop. A person is named instead.
var reasons = map[bellcord.CauseKind]string{
	bellcord.CausePerson:     "",
	bellcord.CauseDeadline:   "time limit",
	bellcord.CauseBudget:     "budget spent",
	bellcord.CauseStepLimit:  "step limit",
	bellcord.CauseShutdown:   "Bellcord was closed",
	bellcord.CauseReplaced:   "replaced by a newer prompt",
	bellcord.CauseDisconnect: "nobody was watching",
}

// StopReason returns the words for a cause other than a person. It returns "" for
// a person, and the kind itself if it is new.
func StopReason(kind bellcord.CauseKind) string {
	if words, known := reasons[kind]; known {
		return words
	}
	return oneLine(string(kind))
}

// StopCause returns the end of a sentence about a stopped turn: the person and the
// place, such as " by anna, Telegram", or the cause, such as ": time limit".
func StopCause(c bellcord.Cause) string {
	words := StopReason(c.Kind)
	switch {
	case words != "" && c.Kind == bellcord.CauseBudget && c.Reason != "":
		return ": " + words + " (" + oneLine(c.Reason) + ")"
	case words != "":
		return ": " + words
	case c.Source == "":
		return " by " + person(c)
	}
	return " by " + person(c) + ", " + oneLine(c.Source)
}

// person names the person who requested a stop.
func person(c bellcord.Cause) string {
	if c.By == "" {
		return "an unknown person"
	}
	return oneLine(c.By)
}

// oneLine returns a foreign text in one line, made visible.
func oneLine(text string) string { return strings.Join(strings.Fields(Visible(text)), " ") }
