package lifecycle_test

import (
	"testing"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/lifecycle"
)

func TestTally_LastAnswerNotComplete_IsInTheReceipt(t *testing.T) {
	text := bellcord.TextDelta{Text: "half an"}
	step := func(f bellcord.Finish) bellcord.StepEnded { return bellcord.StepEnded{Finish: f} }
	for name, c := range map[string]struct {
		events []bellcord.Body
		want   string
	}{
		"cut":                      {[]bellcord.Body{bellcord.StepStarted{}, text, step(bellcord.FinishMaxOutput)}, "cut off at the output limit"},
		"refused":                  {[]bellcord.Body{bellcord.StepStarted{}, step(bellcord.FinishRefused)}, "refused by the model"},
		"empty":                    {[]bellcord.Body{bellcord.StepStarted{}, step(bellcord.FinishStop)}, "the answer is empty"},
		"only thinking":            {[]bellcord.Body{bellcord.StepStarted{}, bellcord.ThinkingDelta{Text: "hm"}, step(bellcord.FinishStop)}, "the answer is empty"},
		"empty after a call":       {[]bellcord.Body{bellcord.StepStarted{}, text, step(bellcord.FinishToolCalls), bellcord.StepStarted{}, step(bellcord.FinishStop)}, "the answer is empty"},
		"complete":                 {[]bellcord.Body{bellcord.StepStarted{}, text, step(bellcord.FinishStop)}, ""},
		"complete after a cut one": {[]bellcord.Body{bellcord.StepStarted{}, text, step(bellcord.FinishMaxOutput), bellcord.StepStarted{}, text, step(bellcord.FinishStop)}, ""},
		"no model":                 {nil, ""},
	} {
		var tally lifecycle.Tally
		for _, b := range c.events {
			tally.Observe(b)
		}
		r := tally.Receipt(true)
		r.End = bellcord.EndDone
		if got := r.IncompleteText(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if r.End = bellcord.EndStopped; r.IncompleteText() != "" {
			t.Errorf("%s: a stopped turn is %q", name, r.IncompleteText())
		}
	}
}

func TestTally_TurnThatNeedsNoText_IsCompleteWithoutIt(t *testing.T) {
	for name, c := range map[string]struct {
		prompt bellcord.Prompt
		hosted bool
		finish bellcord.Finish
		want   bellcord.Incomplete
	}{
		"work without a prompt":              {bellcord.Prompt{Task: bellcord.TaskUnprompted}, true, bellcord.FinishStop, ""},
		"work without a prompt that was cut": {bellcord.Prompt{Task: bellcord.TaskUnprompted}, true, bellcord.FinishMaxOutput, bellcord.IncompleteMaxOutput},
		"command of a hosted agent":          {bellcord.Prompt{Text: "/compact"}, true, bellcord.FinishStop, ""},
		"question to a hosted agent":         {bellcord.Prompt{Text: "why?"}, true, bellcord.FinishStop, bellcord.IncompleteEmpty},
		"prompt to the built-in agent":       {bellcord.Prompt{Text: "/etc is what?"}, false, bellcord.FinishStop, bellcord.IncompleteEmpty},
	} {
		tally := lifecycle.Tally{NeedsNoText: lifecycle.NeedsNoText(c.prompt, c.hosted)}
		for _, b := range []bellcord.Body{bellcord.StepStarted{}, bellcord.StepEnded{Finish: c.finish}} {
			tally.Observe(b)
		}
		if got := tally.Receipt(true).Incomplete; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
