package telemetry

// Waiting is how many events wait to be told.
func (t *Traces) Waiting() int { return len(t.notes) }
