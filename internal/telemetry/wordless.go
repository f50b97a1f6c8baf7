package telemetry

import "github.com/bellcord/bellcord"

// wordless is what a trace takes of a body: never what a person, a model or a
// tool said. Such text is not only kept out of traces, it is not held in memory
// for them either. It is nil for bodies that no trace tells.
func wordless(b bellcord.Body) bellcord.Body {
	switch b := b.(type) {
	case bellcord.Prompted:
		return bellcord.Prompted{}
	case bellcord.Called:
		return bellcord.Called{Call: b.Call, Name: b.Name}
	case bellcord.CallEnded:
		return bellcord.CallEnded{Call: b.Call, Fate: b.Fate, Failed: b.Failed}
	case bellcord.Asked:
		return bellcord.Asked{Question: bellcord.Question{ID: b.Question.ID, Call: b.Question.Call}}
	case bellcord.Answered:
		return bellcord.Answered{Question: b.Question}
	case bellcord.Retrying:
		return bellcord.Retrying{Attempt: b.Attempt, Wait: b.Wait}
	case bellcord.Ended:
		b.Receipt.Prompt, b.Receipt.Error = "", ""
		return b
	case bellcord.Started, bellcord.StopAsked, bellcord.StepStarted, bellcord.StepEnded,
		bellcord.AsideStarted, bellcord.AsideEnded, bellcord.CallStarted:
		return b
	}
	return nil
}
