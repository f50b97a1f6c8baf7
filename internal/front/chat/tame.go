package chat

import (
	"encoding/json"

	"github.com/bellcord/bellcord"
)

// tame is an event whose texts cannot steer a terminal.
func tame(ev bellcord.Event) bellcord.Event {
	switch b := ev.Body.(type) {
	case bellcord.Said:
		ev.Body = bellcord.Said{Text: harmless(b.Text)}
	case bellcord.Called:
		b.Name, b.Args = harmless(b.Name), json.RawMessage(harmless(subject(b.Args)))
		ev.Body = b
	case bellcord.CallEnded:
		b.Text = printed(b.Text)
		ev.Body = b
	case bellcord.Retrying:
		b.Why = harmless(b.Why)
		ev.Body = b
	case bellcord.Ended:
		b.Receipt = tameReceipt(b.Receipt)
		ev.Body = b
	}
	return ev
}

func tameReceipt(r bellcord.Receipt) bellcord.Receipt {
	r.Error = harmless(r.Error)
	if r.Cause != nil {
		cause := *r.Cause
		cause.By, cause.From, cause.Why = harmless(cause.By), harmless(cause.From), harmless(cause.Why)
		r.Cause = &cause
	}
	survivors := make([]bellcord.Process, len(r.Processes.Survivors))
	for i, s := range r.Processes.Survivors {
		s.Name = harmless(s.Name)
		survivors[i] = s
	}
	r.Processes.Survivors = survivors
	return r
}
