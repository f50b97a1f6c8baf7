package telemetry

import "github.com/bellcord/bellcord"

// wordless returns the part of a body that a trace needs, without the text of
// prompts, answers, arguments and results. This text is neither exported nor
// kept in memory for traces. It returns nil for bodies that are not traced.
func wordless(b bellcord.Body) bellcord.Body {
	switch b := b.(type) {
	case bellcord.TurnAccepted:
		return bellcord.TurnAccepted{}
	case bellcord.ToolCallRequested:
		return bellcord.ToolCallRequested{Call: b.Call, Name: b.Name}
	case bellcord.ToolCallEnded:
		return bellcord.ToolCallEnded{Call: b.Call, Outcome: b.Outcome, Failed: b.Failed}
	case bellcord.QuestionOpened:
		return bellcord.QuestionOpened{Question: bellcord.Question{ID: b.Question.ID, Call: b.Question.Call}}
	case bellcord.QuestionAnswered:
		return bellcord.QuestionAnswered{Question: b.Question}
	case bellcord.ModelRetryScheduled:
		return bellcord.ModelRetryScheduled{Attempt: b.Attempt, RetryIn: b.RetryIn}
	case bellcord.TurnEnded:
		b.Receipt.Prompt, b.Receipt.Error = "", ""
		return b
	case bellcord.TurnStarted, bellcord.StopRequested, bellcord.StepStarted, bellcord.StepEnded,
		bellcord.SideRequestStarted, bellcord.SideRequestEnded, bellcord.ToolCallStarted:
		return b
	}
	return nil
}
