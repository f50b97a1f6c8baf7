package bellcord

import "slices"

// Sandbox describes how the commands of a turn were confined.
type Sandbox struct {
	Level SandboxLevel `json:"level" enum:"namespaces,landlock,seatbelt,none"`
	Gaps  []string     `json:"gaps,omitempty"` // what the level does not cover, as sentences without a full stop
}

// SandboxLevel is the means by which a command is confined.
type SandboxLevel string

// The levels, from the strongest to the weakest.
const (
	SandboxNamespaces SandboxLevel = "namespaces" // Linux: user, mount, PID and network namespaces
	SandboxSeatbelt   SandboxLevel = "seatbelt"   // macOS
	SandboxLandlock   SandboxLevel = "landlock"   // Linux: Landlock and seccomp
	SandboxNone       SandboxLevel = "none"       // the command can do whatever its user can
)

var sandboxLevels = []SandboxLevel{SandboxNamespaces, SandboxSeatbelt, SandboxLandlock, SandboxNone}

// Weaker returns the description of commands that ran in either sandbox: the
// weaker level, and the gaps of both. One of them may be nil.
func (s *Sandbox) Weaker(other *Sandbox) *Sandbox {
	switch {
	case s == nil:
		return other
	case other == nil:
		return s
	}
	sum := Sandbox{Level: s.Level, Gaps: slices.Clone(s.Gaps)}
	if slices.Index(sandboxLevels, other.Level) > slices.Index(sandboxLevels, s.Level) {
		sum.Level = other.Level
	}
	for _, gap := range other.Gaps {
		if !slices.Contains(sum.Gaps, gap) {
			sum.Gaps = append(sum.Gaps, gap)
		}
	}
	return &sum
}
