package acp

import (
	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/history"
)

// closeOpen ends the calls that were still open when the agent ended the turn.
// Their outcome is unknown.
func (t *turn) closeOpen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range t.calls {
		switch {
		case c.ended:
			continue
		case c.waits:
			t.endCall(c, true)
		default:
			t.startCall(c)
			t.emit(bellcord.ToolCallEnded{Call: c.logID, Outcome: bellcord.CallUnknown, Failed: true, Result: history.ResultText(bellcord.CallUnknown, c.output)})
		}
		c.ended = true
	}
}

// leaveOpen closes the turn and leaves its open calls to the receipt. Agents
// run tools without reporting the start, so only a call that waits for a
// permission counts as not started.
func (t *turn) leaveOpen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, c := range t.calls {
		switch {
		case c.ended:
		case c.waits:
			t.recordCall(c)
		default:
			t.startCall(c)
		}
	}
}
