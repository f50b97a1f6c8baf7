package pi

import (
	"context"

	"github.com/bellcord/bellcord/internal/agent/child"
)

// abortTurn sends pi an abort, immediately or as soon as pi can process it.
func (t *turn) abortTurn() {
	t.stopping, t.converter.stopping = true, true
	t.dialogs.cancelAll() // an open dialog can keep pi from responding
	switch t.phase {
	case knocking:
		t.finish(context.Cause(t.converter.ctx)) // the prompt was not sent
	case running, settling:
		t.abort()
	case prompting, aborting, confirming, over: // pi loses an abort that arrives before it has accepted the prompt
	}
}

// abort sends an abort and, where supported, clears pi's queues.
func (t *turn) abort() {
	if t.clears {
		t.sendCommand("clear_queue", nil)
	}
	t.setPhase(aborting, t.sendCommand("abort", nil))
}

// confirmed handles pi's state after the response to an abort. Some versions
// continue nevertheless: with a compaction, with the work after one, or with a
// retry that had just started. A steering message may reach pi's queue after the
// queue was cleared.
func (t *turn) confirmed(now state) {
	queued := now.PendingMessageCount > 0 || len(t.steerings.sent) > 0
	switch {
	case now.busy() || t.returning || t.retrying || queued && t.clears:
		t.later()
	case queued:
		// Messages in a queue that cannot be cleared would run with the next
		// prompt. A new process has an empty queue.
		t.finish(child.ErrDeaf)
	default:
		t.finish(nil)
	}
}
