package permit

import "slices"

// Above reports whether m allows more without approval than other.
func (m Mode) Above(other Mode) bool { return slices.Index(Modes, m) > slices.Index(Modes, other) }
