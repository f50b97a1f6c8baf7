package machine

import (
	"fmt"
	"math/rand/v2"

	"github.com/bellcord/bellcord/lifecycle"
)

// World is the state of one run: database, nodes, bus, watchers and auditor. It
// can be reused for many runs, one after the other.
type World struct {
	rules    Rules
	chance   rand.PCG
	db       database
	nodes    [nodeCount]node
	watchers [watcherCount]watcher
	bus      []message
	strays   [3]stray
	straying int // number of strays
	audit    auditor
	tally    Tally

	sessions int    // number of sessions in this run
	without  uint32 // bit set of the steps that this run omits, by index
	ids      nodeID
	stamps   stamp
	coming   turn // the next unused turn ID
	step     int
	lines    [linesKept]line
	traced   int
	broken   *Violation
	seen     lifecycle.Turn // the turn of the op being decided
}

// Tally counts the events of all runs of a world, to show that the runs cover the
// cases they are meant to test.
type Tally struct {
	Claims, Effects, Done, Failed, Stopped, Lost  int
	Crashes, Pauses, Cuts, Drains, TakeOvers      int
	LostAnswers, Strays                           int
	RefusedByFence, StopBeatEnd, EarlyStops       int
	Shown, Edits, Foreign, Forced, Late, Confused int
	Scopes                                        int
}

func (t *Tally) countEnd(how end) {
	switch how {
	case done:
		t.Done++
	case failed:
		t.Failed++
	case stopped:
		t.Stopped++
	case lost:
		t.Lost++
	case noEnd:
	}
}

// Tally returns the counts of all runs so far.
func (w *World) Tally() Tally { return w.tally }

// Violation is an invariant that did not hold.
type Violation struct {
	Seed      uint64
	Step      int
	Invariant Invariant
	What      string
	Before    []string // the last lines of the trace, the newest at the end
}

// Error implements error.
func (v *Violation) Error() string {
	text := fmt.Sprintf("seed %d, step %d: %s (%d): %s\n", v.Seed, v.Step, v.Invariant, int(v.Invariant), v.What)
	for _, line := range v.Before {
		text += "  " + line + "\n"
	}
	return text
}

// linesKept is the number of trace lines in a violation.
const linesKept = 30

// line is an entry of the trace. It is formatted only when needed, because nearly
// all are never read.
type line struct {
	step   int
	format string
	count  int
	args   [4]int
}

func (l *line) String() string {
	args := make([]any, l.count)
	for i := range args {
		args[i] = l.args[i]
	}
	return fmt.Sprintf("%5d  ", l.step) + fmt.Sprintf(l.format, args...)
}

// tracef adds a line to the trace.
func (w *World) tracef(format string, args ...int) {
	l := &w.lines[w.traced%linesKept]
	l.step, l.format, l.count = w.step, format, len(args)
	copy(l.args[:], args)
	w.traced++
}

// fail records the first violation, which ends the run.
func (w *World) fail(broken Invariant, format string, args ...any) {
	if w.broken == nil {
		w.broken = &Violation{Step: w.step, Invariant: broken, What: fmt.Sprintf(format, args...)}
	}
}

// below returns a random number from 0 to n-1.
func (w *World) below(n int) int { return int((w.chance.Uint64() >> 32) * uint64(n) >> 32) }

func (w *World) oneIn(n int) bool { return w.below(n) == 0 }

// Run executes one run: the given number of steps from a seed, then the quiet
// phase in which every turn must settle. It returns the first violation, or nil.
func (w *World) Run(seed uint64, steps int, rules Rules) *Violation {
	w.reset(seed, rules)
	for w.step = 1; w.step <= steps && w.broken == nil; w.step++ {
		w.nextStep()
	}
	if w.broken == nil {
		w.tracef("all faults are healed")
		w.quiet()
	}
	if w.broken != nil {
		w.broken.Seed = seed
		for i := max(0, w.traced-linesKept); i < w.traced; i++ {
			w.broken.Before = append(w.broken.Before, w.lines[i%linesKept].String())
		}
	}
	return w.broken
}

func (w *World) reset(seed uint64, rules Rules) {
	w.rules, w.broken, w.traced, w.step = rules, nil, 0, 0
	w.chance.Seed(seed, 0)
	w.ids, w.stamps, w.coming, w.straying, w.bus = noNode, 0, 0, 0, w.bus[:0]
	w.sessions = 1 + w.below(sessionCount)
	w.leaveOut()
	w.db.reset()
	w.audit.reset()
	for i := range w.nodes {
		w.startNode(&w.nodes[i])
	}
	for i := range w.watchers {
		w.watchers[i] = watcher{session: int8(i % w.sessions), at: int8(w.below(nodeCount))}
	}
}
