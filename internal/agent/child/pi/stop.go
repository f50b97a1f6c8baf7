package pi

import (
	"context"
	"encoding/json"

	"github.com/bellcord/bellcord/internal/agent/child"
)

// abortTurn sends pi an abort, immediately or as soon as pi can process it.
func (t *turn) abortTurn() {
	t.stopping, t.telling.stopping = true, true
	t.dialogs.cancelAll() // one that is open can keep pi from giving its word
	switch t.phase {
	case knocking:
		t.finish(context.Cause(t.telling.ctx)) // the prompt was not sent
	case running:
		t.abort()
	case prompting, aborting, confirming, over: // an abort is lost on a pi that has not accepted
	}
}

// abort tells pi to stop, and what waits in its queues not to start.
func (t *turn) abort() {
	if t.clears {
		t.sendCommand("clear_queue", nil)
	}
	t.setPhase(aborting, t.sendCommand("abort", nil))
}

// confirmed is pi's state after its word. Some versions go on all the same: with
// a compaction, with what comes after one, with a retry that had just begun.
func (t *turn) confirmed(now state) {
	switch {
	case now.busy() || t.returning || t.retrying:
		t.later()
	case now.PendingMessageCount > 0:
		// What is left in a queue that cannot be cleared would run with the next
		// prompt. A new process has none.
		t.finish(child.ErrDeaf)
	default:
		t.finish(nil)
	}
}

func decodeInto(data json.RawMessage, to any) error {
	if len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, to)
}
