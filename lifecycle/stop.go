package lifecycle

import "github.com/bellcord/bellcord"

// Overrules reports whether a later stop replaces a recorded earlier one. The
// first of several stops is kept, except that an immediate stop replaces one that
// waits for the next step.
func Overrules(later, earlier bellcord.Cause) bool {
	return earlier.Mode == bellcord.StopAfterStep && later.Mode != bellcord.StopAfterStep
}

// Escalates reports whether later only removes the grace period of earlier, a
// recorded stop. All other fields of earlier are kept.
func Escalates(later, earlier bellcord.Cause) bool {
	return later.Mode == bellcord.StopForce && earlier.Mode != bellcord.StopForce && !Overrules(later, earlier)
}

// Prevailing returns the stop that applies if a turn has two: the earlier one,
// unless the other overrules it. Either may be nil.
func Prevailing(a, b *bellcord.Cause) *bellcord.Cause {
	switch {
	case a == nil:
		return b
	case b == nil || Overrules(*a, *b):
		return a
	case Overrules(*b, *a) || b.At.Before(a.At):
		return b
	}
	return a
}

// BeforeStart returns the stop as it applies to a turn that has not started. The
// turn has no step to finish, so a stop that waits for the next step takes effect
// now.
func BeforeStart(stop bellcord.Cause) bellcord.Cause {
	if stop.Mode == bellcord.StopAfterStep {
		stop.Mode = ""
	}
	return stop
}

// CutsNow reports whether a turn with this stop can no longer end as done. stop
// may be nil.
func CutsNow(stop *bellcord.Cause) bool { return stop != nil && stop.Mode != bellcord.StopAfterStep }
