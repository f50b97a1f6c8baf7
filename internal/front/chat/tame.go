package chat

import (
	"encoding/json"
	"slices"

	"github.com/bellcord/bellcord"
)

// tame returns the event with its texts made harmless for a terminal.
func tame(ev bellcord.Event) bellcord.Event {
	switch b := ev.Body.(type) {
	case bellcord.TextDelta:
		b.Text = harmless(b.Text)
		ev.Body = b
	case bellcord.ToolCallRequested:
		b.Name, b.Arguments = harmless(b.Name), json.RawMessage(harmless(subject(b.Arguments)))
		ev.Body = b
	case bellcord.ToolCallUpdated:
		if b.Arguments != nil {
			b.Arguments = json.RawMessage(harmless(subject(b.Arguments)))
		}
		ev.Body = b
	case bellcord.PlanUpdated:
		b.Entries = slices.Clone(b.Entries)
		for i := range b.Entries {
			b.Entries[i].Text = harmless(b.Entries[i].Text)
		}
		ev.Body = b
	case bellcord.ToolCallEnded:
		b.Result = printed(b.Result)
		ev.Body = b
	case bellcord.QuestionOpened:
		if b.Question.Title != "" && len(b.Question.Changes) > 0 { // Plain shows the changes
			b.Question.Text = b.Question.Title
		}
		ev.Body = b
	case bellcord.ModelRetryScheduled:
		b.Reason = harmless(b.Reason)
		ev.Body = b
	case bellcord.ProcessConfirmed:
		b.Process.Name = harmless(b.Process.Name)
		ev.Body = b
	case bellcord.ProcessesRecovered:
		b.Processes.Survivors, b.Processes.Ended = tameProcesses(b.Processes.Survivors), tameProcesses(b.Processes.Ended)
		ev.Body = b
	case bellcord.TurnEnded:
		b.Receipt = tameReceipt(b.Receipt)
		ev.Body = b
	}
	return ev
}

func tameReceipt(r bellcord.Receipt) bellcord.Receipt {
	r.Error = harmless(r.Error)
	if r.Cause != nil {
		cause := *r.Cause
		cause.By, cause.Source, cause.Reason = harmless(cause.By), harmless(cause.Source), harmless(cause.Reason)
		r.Cause = &cause
	}
	r.Processes.Survivors = tameProcesses(r.Processes.Survivors)
	r.Processes.Unconfirmed = tameProcesses(r.Processes.Unconfirmed)
	return r
}

func tameProcesses(processes []bellcord.Process) []bellcord.Process {
	tamed := make([]bellcord.Process, len(processes))
	for i, p := range processes {
		p.Name = harmless(p.Name)
		tamed[i] = p
	}
	return tamed
}
