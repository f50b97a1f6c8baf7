package lifecycle

import "github.com/bellcord/bellcord"

// Overrules reports whether a later stop replaces an earlier one on record. Of
// several stops the first stays, except that a stop that takes effect now replaces
// one that waits for a step.
func Overrules(later, earlier bellcord.Cause) bool {
	return earlier.Mode == bellcord.StopAfterStep && later.Mode != bellcord.StopAfterStep
}

// Escalates reports whether a later stop only removes the grace period of an
// earlier one on record. All other fields of the earlier one are kept.
func Escalates(later, earlier bellcord.Cause) bool {
	return later.Mode == bellcord.StopForce && earlier.Mode != bellcord.StopForce && !Overrules(later, earlier)
}

// Prevailing returns the one of two stops of a turn that counts, where both became
// known at once: the earlier one, unless the other overrules it. Either may be nil.
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

// CutsNow reports whether a turn with this stop may no longer end as done. Stop may
// be nil.
func CutsNow(stop *bellcord.Cause) bool { return stop != nil && stop.Mode != bellcord.StopAfterStep }
