package proc

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// limiter enforces the limits of one command: by its cgroup of version 2, or by
// one group for each controller of version 1, or by resource limits.
type limiter struct {
	limits Limits
	means  string            // byCgroup2, byCgroup1, byRlimit, or "" if there are no limits
	groups map[string]cgroup // directories by controller
}

// LimitsBy returns the means that enforce limits on this machine: "cgroup2",
// "cgroup1" or "rlimit". It creates a cgroup and removes it again.
func LimitsBy() string {
	all := Limits{Memory: 1, Processes: 1}
	id := randomID()
	if c := makeCgroup(limitBase(), id); c != "" {
		defer func() { _ = c.remove() }()
		if hasControllers(string(c), all.controllers()) {
			return byCgroup2
		}
	}
	l := newLimiter1(all, id)
	defer l.remove()
	if l != nil && l.create() == nil {
		return byCgroup1
	}
	return byRlimit
}

// controllers returns the names of the controllers that the limits need.
func (l Limits) controllers() []string {
	var all []string
	for name, needed := range map[string]bool{"memory": l.Memory > 0, "pids": l.Processes > 0, "cpu": l.CPU > 0} {
		if needed {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// limit prepares the limits of a command that has not started. The groups of
// version 1 are only named; start creates them, after they are in the ledger.
func (p *container) limit(l Limits, id string, noCgroup bool) {
	if l = l.Resolve(); !l.bounded() {
		return
	}
	p.limiter = &limiter{limits: l, means: byRlimit}
	if p.contained() && hasControllers(string(p.cgroup), l.controllers()) {
		two := &limiter{limits: l, means: byCgroup2, groups: make(map[string]cgroup)}
		for _, name := range l.controllers() {
			two.groups[name] = p.cgroup
		}
		if two.write(settings2) == nil {
			p.limiter = two
			return
		}
	}
	if noCgroup {
		return
	}
	if one := newLimiter1(l, id); one != nil {
		p.limiter = one
	}
}

// newLimiter1 returns a limiter with a group of version 1 for each controller,
// or nil if a controller is not mounted. CPU alone may be missing.
func newLimiter1(l Limits, id string) *limiter {
	one := &limiter{limits: l, means: byCgroup1, groups: make(map[string]cgroup)}
	for _, name := range l.controllers() {
		switch dir := ownGroup1(name); {
		case dir != "":
			one.groups[name] = cgroup(filepath.Join(dir, cgroupName(id)))
		case name != "cpu":
			return nil
		}
	}
	if len(one.groups) == 0 {
		return nil
	}
	return one
}

// held reports whether the process must be held before its first instruction
// until the limits are set. In version 2 it starts inside its limits.
func (l *limiter) held() bool { return l != nil && l.means != byCgroup2 }

// prepare creates the groups of version 1. If that fails, the limits are set as
// resource limits instead.
func (l *limiter) prepare() {
	if l == nil || l.means != byCgroup1 {
		return
	}
	if l.create() != nil {
		l.remove()
		l.means, l.groups = byRlimit, nil
	}
}

func (l *limiter) create() error {
	for _, dir := range l.dirs() {
		if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // the mode that the kernel uses for cgroups
			return err
		}
	}
	return l.write(settings1)
}

// dirs returns the directories of the groups. Controllers that are mounted
// together share one.
func (l *limiter) dirs() []string {
	if l == nil {
		return nil
	}
	var all []string
	for _, dir := range l.groups {
		all = append(all, string(dir))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// enter sets the limits of a process. It reports whether it succeeded.
func (l *limiter) enter(pid int) bool {
	switch {
	case l == nil || l.means == byCgroup2:
		return true
	case l.means == byRlimit:
		return l.limits.setRlimits(pid)
	}
	for _, dir := range l.dirs() {
		if os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0) != nil {
			return false
		}
	}
	return true
}

// enterLimits sets the limits of the leader. If it was not held, it may have
// started children by now, which are moved as well.
func (p *container) enterLimits(held bool) {
	if !p.limiter.held() {
		return
	}
	if !p.limiter.enter(p.tree.leader.pid) {
		if p.limiter.means == byCgroup1 && p.limiter.limits.setRlimits(p.tree.leader.pid) {
			p.limiter.means = byRlimit
		} else {
			p.limiter.means = ""
		}
		return
	}
	if held {
		return
	}
	entered := map[ident]bool{p.tree.leader: true}
	for range 20 {
		fresh := false
		for _, m := range p.tree.scanNow() {
			if !entered[m.ident] {
				entered[m.ident], fresh = p.limiter.enter(m.pid), true
			}
		}
		if !fresh {
			return
		}
	}
}

// limited returns the means that enforced the limits, and the limit that was
// reached. Resource limits have no counters, so these are not reported.
func (p *container) limited() (means, reached string) {
	l := p.limiter
	if l == nil {
		return "", ""
	}
	switch {
	case counter(l.groups["memory"], "oom_kill", "memory.events", "memory.oom_control") > 0:
		reached = LimitMemory
	case counter(l.groups["pids"], "max", "pids.events") > 0:
		reached = LimitProcesses
	}
	return l.means, reached
}

// counter returns the value after name in the first of the files that exists.
func counter(group cgroup, name string, files ...string) int {
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(string(group), file))
		if group == "" || err != nil {
			continue
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if value, ok := strings.CutPrefix(line, name+" "); ok {
				n, _ := strconv.Atoi(value)
				return n
			}
		}
	}
	return 0
}

// remove removes the groups of version 1, which must be empty. The kernel may
// need a moment after the last process has exited.
func (l *limiter) remove() {
	if l == nil || l.means == byCgroup2 {
		return
	}
	for _, dir := range l.dirs() {
		until(func() bool { return cgroup(dir).remove() == nil || occupied(dir) }, time.Second, nil)
	}
}

// occupied reports whether a group of version 1 contains a process.
func occupied(dir string) bool {
	procs, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	return len(procs) > 0
}

// recallLimiter returns the groups of a command that a dead keeper started.
func recallLimiter(e entry) *limiter {
	l := &limiter{means: byCgroup1, groups: make(map[string]cgroup)}
	for i, path := range e.Limits {
		base := filepath.Base(path)
		_, err := os.Stat(filepath.Join(path, "cgroup.procs"))
		if err == nil && strings.HasPrefix(base, "bellcord-") && strings.HasSuffix(base, "-"+e.Marker) {
			l.groups[strconv.Itoa(i)] = cgroup(path)
		}
	}
	return l
}

// ownGroup1 returns the directory of this process's group in the version 1
// hierarchy of a controller, or "" if it is not mounted.
func ownGroup1(controller string) string {
	for line := range strings.SplitSeq(ownGroups(), "\n") {
		f := strings.SplitN(line, ":", 3)
		if len(f) == 3 && slices.Contains(strings.Split(f[1], ","), controller) {
			return groupDir(mounts(), "cgroup", controller, f[2])
		}
	}
	return ""
}

var ownGroups = sync.OnceValue(func() string {
	text, _ := os.ReadFile("/proc/self/cgroup")
	return string(text)
})

var mounts = sync.OnceValue(func() string {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	return string(text)
})
