package telemetry

// Waiting returns the number of queued events.
func (t *Traces) Waiting() int { return len(t.notes) }
