package bellcord

import (
	"context"
	"errors"
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

// ReceiptNow returns a stored receipt with the processes that were recovered
// after the turn's process died. It reads events only if the receipt's processes
// are unknown. Events that are damaged or deleted recover nothing.
func ReceiptNow(ctx context.Context, store Reader, r Receipt) (Receipt, error) {
	if r.Processes.Unknown == "" {
		return r, nil
	}
	var after int64
	if r.LogHead != nil {
		after = r.LogHead.Seq
	} else {
		record, err := store.Turn(ctx, r.Turn)
		if err != nil {
			return r, err
		}
		after = record.FirstSeq
	}
	sum := NewRecoveredProcesses(r.Processes)
	err := EachEvent(ctx, store, r.Session, after, func(ev Event) bool {
		if b, is := ev.Body.(ProcessesRecovered); is && b.Turn == r.Turn {
			sum.Add(b)
		}
		return true
	})
	r.Processes = sum.Processes()
	if errors.Is(err, ErrDamaged) || errors.Is(err, ErrNoSession) { // the rest of the receipt is valid
		return r, nil
	}
	return r, err
}

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
