package api

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
)

// TurnOf returns the stored record of a turn with the live state that only the
// process that runs it has.
func TurnOf(r store.TurnRecord, live map[bellcord.TurnID]bellcord.QueueEntry) Turn {
	t := Turn{
		ID: r.ID, Session: r.Session, State: TurnState(r.State), Text: sentText(r.Prompt.Task, r.Prompt.Text), Task: r.Prompt.Task,
		Accepted: r.Accepted, Node: r.Node, FirstSeq: r.FirstSeq, StopRequest: r.Stop, Receipt: r.Receipt,
	}
	if r.Receipt != nil {
		t.State = TurnState(r.Receipt.End)
		return t
	}
	if entry, known := live[r.ID]; known {
		t.Text, t.Held, t.Questions = sentText(t.Task, entry.Text), entry.Held, entry.Questions
		if t.StopRequest == nil {
			t.StopRequest = entry.StopRequest
		}
	}
	switch {
	case t.StopRequest != nil && t.StopRequest.Mode != bellcord.StopAfterStep:
		t.State = Stopping
	case len(t.Questions) > 0:
		t.State = Waiting
	}
	return t
}

// sentText returns the text of a turn as its sender wrote it.
func sentText(task bellcord.Task, text string) string {
	if task == bellcord.TaskCompact {
		return CompactText(text)
	}
	return text
}
