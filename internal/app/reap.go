package app

// reap ends the processes of those that have died, and recovers the changes of their
// calls. It sets left if it must be called again: another process ends some of them,
// or this is the first call after a death. A process that is just dying can still
// hold some of its locks.
func (r *recovery) reap(first bool) {
	interrupted := r.app.undo.Interrupted() // only of these, the keeper ends all processes
	complete := r.app.keeper.Reap()
	if complete {
		r.app.undo.Recover(interrupted)
	}
	r.left = first || !complete
}
