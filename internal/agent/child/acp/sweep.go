package acp

import (
	"github.com/bellcord/bellcord"
)

// closeOpen ends the calls that the agent left open when it said that it was
// done: nobody saw their end.
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
			t.emit(bellcord.ToolCallEnded{Call: c.id, Outcome: bellcord.CallUnknown, Failed: true, Result: bellcord.ResultText(bellcord.CallUnknown, c.output)})
		}
		c.ended = true
	}
}

// leaveOpen leaves the calls to the receipt. Agents run tools without saying so:
// only one that waits for a permission is known not to have started.
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
