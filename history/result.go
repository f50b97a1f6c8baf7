package history

import (
	"strings"

	"github.com/bellcord/bellcord"
)

// ResultText returns the result that the model receives for a call with the
// given outcome: for an unfinished call, the output so far and whether it may
// have had effects (law 25).
func ResultText(fate bellcord.CallOutcome, output string) string {
	var text string
	switch fate {
	case bellcord.CallNotStarted:
		return "[not started: the turn was stopped before this call ran; it had no effect]"
	case bellcord.CallStopped:
		text = "[stopped while running; it may have had effects]"
	case bellcord.CallUnknown:
		text = "[outcome unknown: the call started, but its end was not observed; it may have had effects]"
	case bellcord.CallFinished:
		return output
	}
	if strings.TrimSpace(output) != "" {
		text = "[output so far]\n" + output + "\n" + text
	}
	return text
}
