package pi

// settled ends the run after agent_settled.
func (t *turn) settled() {
	if t.phase == running && t.began {
		t.endRun()
	}
}

// endRun ends the turn after pi's run, when all responses have arrived. If pi's
// queue contains messages that arrived too late for the run, they start another
// one: otherwise pi would run them together with the next prompt.
func (t *turn) endRun() {
	t.setPhase(settling, "")
	switch {
	case len(t.steerings.sent) > 0 || t.measuring != "": // their responses call settle
	case t.steerings.used:
		t.steerings.used = false
		t.awaited = t.sendCommand("clear_queue", nil)
	default:
		t.finish(t.converter.failure())
	}
}

// settle continues endRun after a response that it waited for.
func (t *turn) settle() {
	if t.phase == settling && t.awaited == "" {
		t.endRun()
	}
}

// queryState queries the state of a version without agent_settled.
func (t *turn) queryState() {
	if !t.settles {
		t.sendStateQuery()
	}
}

func (t *turn) sendStateQuery() {
	if t.phase == running && t.looking == "" {
		t.looking = t.sendCommand("get_state", nil)
	}
}

// applyState ends the run if pi is idle and will not continue by itself.
func (t *turn) applyState(now state) {
	switch {
	case t.phase != running || t.began && t.settles || t.retrying || t.compacting || t.returning:
	case t.began && !t.ended: // it is running
	case now.busy():
		t.later()
	default:
		t.endRun()
	}
}

// queryStateAgain reads pi's state again, or repeats the abort.
func (t *turn) queryStateAgain() {
	switch t.phase {
	case knocking:
		t.setPhase(knocking, t.sendCommand("get_state", nil))
	case running:
		t.sendStateQuery()
	case confirming:
		t.abort()
	case prompting, settling, aborting, over:
	}
}
