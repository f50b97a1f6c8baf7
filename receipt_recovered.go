package bellcord

import (
	"fmt"
	"slices"
	"strings"
)

// RecoveredProcesses are the processes of a turn on its receipt, and those of the
// ProcessesRecovered events after it.
type RecoveredProcesses struct {
	processes  Processes
	recoveries []string
}

// NewRecoveredProcesses returns the processes of a receipt, without events.
func NewRecoveredProcesses(p Processes) *RecoveredProcesses {
	p.Ended, p.Survivors, p.Unconfirmed = slices.Clone(p.Ended), slices.Clone(p.Survivors), slices.Clone(p.Unconfirmed)
	return &RecoveredProcesses{processes: p}
}

// Add adds an event of the turn. It ignores one that it has already.
func (r *RecoveredProcesses) Add(b ProcessesRecovered) {
	if slices.Contains(r.recoveries, b.Recovery) {
		return
	}
	p := &r.processes
	if first := len(r.recoveries) == 0; first || b.Processes.Unknown != "" {
		p.Unknown = b.Processes.Unknown
	}
	r.recoveries = append(r.recoveries, b.Recovery)
	later := slices.Concat(b.Processes.Ended, b.Processes.Survivors)
	p.Survivors = slices.DeleteFunc(p.Survivors, func(s Process) bool { // of an earlier recovery
		return slices.ContainsFunc(later, func(l Process) bool { return l.PID == s.PID })
	})
	p.Add(b.Processes)
	if p.Unknown == "" {
		p.Node = ""
	}
}

// Processes returns the sum.
func (r *RecoveredProcesses) Processes() Processes { return r.processes }

// Text describes for people what was found of the lost turn, for example "lost
// turn: 3 processes ended, cgroup empty".
func (b ProcessesRecovered) Text() string {
	p := b.Processes
	text := p.UnknownText()
	if ended := p.EndedText(); ended != "" {
		text = ended
	}
	if n := len(p.Survivors); n > 0 {
		text += fmt.Sprintf(", %d STILL RUNNING", n)
	}
	if text == "" {
		text = "no process was left"
	}
	return "lost turn: " + strings.TrimPrefix(text, ", ")
}
