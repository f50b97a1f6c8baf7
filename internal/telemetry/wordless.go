package telemetry

import "github.com/bellcord/bellcord"

// wordless is what a trace takes of a body: never what a person, a model or a
// tool said. Such text is not only kept out of traces, it is not held in memory
// for them either. It is nil for bodies that no trace tells.
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
