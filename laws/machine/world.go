package machine

import (
	"fmt"
	"math/rand/v2"

	"github.com/bellcord/bellcord/lifecycle"
)

// World is one run's database, nodes, bus, watchers and auditor. It can be used
// for many runs, one after the other.
type World struct {
	rules    Rules
	chance   rand.PCG
	db       database
	nodes    [nodeCount]node
	watchers [watcherCount]watcher
	bus      []message
	strays   [3]stray
	straying int // how many of them there are
	audit    auditor
	tally    Tally

	sessions int    // how many of them this run uses
	without  uint32 // the steps that this run does without, by their place
	ids      nodeID
	stamps   stamp
	coming   turn // the next id that no client has used
	step     int
	lines    [linesKept]line
	said     int
	broken   *Violation
	seen     lifecycle.Turn // the turn of the op that is being decided
}

// Tally counts what happened in all runs of a world, to show that they met what
// they are about.
type Tally struct {
	Claims, Effects, Done, Failed, Stopped, Lost  int
	Crashes, Pauses, Cuts, Drains, TakeOvers      int
	LostAnswers, Strays                           int
	RefusedByFence, StopBeatEnd, EarlyStops       int
	Shown, Edits, Foreign, Forced, Late, Confused int
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

// Tally returns the counts.
func (w *World) Tally() Tally { return w.tally }

// Violation is an invariant that did not hold.
type Violation struct {
	Seed      uint64
	Step      int
	Invariant Invariant
	What      string
	Before    []string // the last things that happened, the newest at the end
}

func (v *Violation) Error() string {
	text := fmt.Sprintf("seed %d, step %d: %s (%d): %s\n", v.Seed, v.Step, v.Invariant, int(v.Invariant), v.What)
	for _, line := range v.Before {
		text += "  " + line + "\n"
	}
	return text
}

// linesKept is how many of the last lines a violation comes with.
const linesKept = 30

// line is something that happened, not yet written out: nearly all are never
// read.
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

// say notes what happens.
func (w *World) say(format string, args ...int) {
	l := &w.lines[w.said%linesKept]
	l.step, l.format, l.count = w.step, format, len(args)
	copy(l.args[:], args)
	w.said++
}

// fail notes the first violation; the run ends there.
func (w *World) fail(broken Invariant, format string, args ...any) {
	if w.broken == nil {
		w.broken = &Violation{Step: w.step, Invariant: broken, What: fmt.Sprintf(format, args...)}
	}
}

// below returns a number from 0 to n-1.
func (w *World) below(n int) int { return int((w.chance.Uint64() >> 32) * uint64(n) >> 32) }

func (w *World) oneIn(n int) bool { return w.below(n) == 0 }

// Run makes one run: so many steps from a seed, and then the quiet in which all
// must settle. It returns the first violation, nil when there is none.
func (w *World) Run(seed uint64, steps int, rules Rules) *Violation {
	w.reset(seed, rules)
	for w.step = 1; w.step <= steps && w.broken == nil; w.step++ {
		w.next()
	}
	if w.broken == nil {
		w.say("all faults are healed")
		w.quiet()
	}
	if w.broken != nil {
		w.broken.Seed = seed
		for i := max(0, w.said-linesKept); i < w.said; i++ {
			w.broken.Before = append(w.broken.Before, w.lines[i%linesKept].String())
		}
	}
	return w.broken
}

func (w *World) reset(seed uint64, rules Rules) {
	w.rules, w.broken, w.said, w.step = rules, nil, 0, 0
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
