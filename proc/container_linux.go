package proc

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// container contains the processes of one command: in a cgroup where possible, and
// always as a tree, because a process with enough privileges can leave its
// cgroup.
type container struct {
	cgroup cgroup
	dir    *os.File // of the cgroup, until the process has started
	tree   *tree

	limiter *limiter // nil if there are no limits
	spaces  spaces   // PID namespaces of its processes
	helper  bool     // the leader and the first process of the outermost one are helpers

	elaborate bool // use features that a kernel or its policies may refuse
}

func newContainer(c Command, id string, noCgroup bool) *container {
	p := &container{tree: newTree(id, ident{}, 0), helper: c.Helper, elaborate: true}
	p.tree.stamp = newStamp()
	if noCgroup {
		return p
	}
	if p.cgroup = makeCgroup(limitBase(), id); p.cgroup == "" {
		return p
	}
	fd, err := unix.Open(string(p.cgroup), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		_ = p.cgroup.remove()
		p.cgroup = ""
		return p
	}
	p.dir = os.NewFile(uintptr(fd), string(p.cgroup))
	return p
}

func (p *container) contained() bool { return p.cgroup != "" }

// start starts the process in a new session. The process starts in its cgroup.
// Without a cgroup, it is held before its first instruction until it has its
// stamp, so that every child inherits the stamp; limits that the cgroup does not
// enforce are set in the same moment. A new session is also a new process group,
// and it has no controlling terminal: the command can neither open /dev/tty nor
// insert keys into the input of the terminal on which this process prompts the
// user.
func (p *container) start(cmd *exec.Cmd) error {
	defer starting()()
	defer p.closeDir()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if p.dir != nil {
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(p.dir.Fd())
	}
	p.limiter.prepare()
	if p.elaborate && (p.dir == nil || p.limiter.held()) && traceable(cmd.Path) {
		return startTraced(cmd, func(pid int) { p.enter(pid, true) })
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.enter(cmd.Process.Pid, false)
	return nil
}

func (p *container) closeDir() {
	closeAll(p.dir)
	p.dir = nil
}

// enter registers a process that has just started and is not being waited for.
// held means that it has not executed an instruction yet.
func (p *container) enter(pid int, held bool) {
	leader, _ := read(pid) // it exists, at worst as a zombie
	p.tree.leader, p.tree.since = leader.ident, leader.start
	p.tree.groups[leader.pid] = true
	p.tree.own = true
	welcome(p.tree)
	p.enterLimits(held)
	p.tree.stampTree()
}

// recall returns the container of a command that a dead keeper started.
func recall(e entry) *container {
	t := newTree(e.Marker, ident{e.PID, e.Start}, e.Start)
	t.stamp = e.Stamp
	if leader, ok := read(e.PID); ok && leader.ident == t.leader {
		t.groups[e.PID] = true // while the leader exists, the group id is not reused
	}
	return &container{cgroup: recallCgroup(e.Cgroup, e.Marker), tree: t, limiter: recallLimiter(e), helper: e.Helper}
}

func (p *container) entry() entry {
	e := entry{PID: p.tree.leader.pid, Start: p.tree.leader.start, Stamp: p.tree.stamp, Cgroup: string(p.cgroup), Place: place()}
	if p.limiter.held() {
		e.Limits = p.limiter.dirs()
	}
	return e
}

func (p *container) reaped() { waited(p.tree) }

// proof returns the strongest proof. If processes ran in PID namespaces, the end
// of these is the proof for them; the processes outside have ended by partProof.
func (p *container) proof() string {
	if p.spaces.ended() {
		return "pid_namespace"
	}
	return p.partProof()
}

// partProof returns the proof for a part of the processes.
func (p *container) partProof() string {
	if p.contained() {
		return "cgroup_empty"
	}
	return "process_scan"
}

// tend scans for descendants while the command runs, and reaps its orphans.
func (p *container) tend() {
	if !p.contained() || p.strangers() {
		p.spaces.note(p.tree.living(recentTable()))
	}
	if p.contained() {
		p.spaces.note(p.cgroup.members())
	}
}

// strangers reports whether this process has adopted orphans. A process that
// left its cgroup is an orphan or a descendant of one, so without orphans no
// scan is needed.
func (p *container) strangers() bool {
	if !p.tree.own {
		return true
	}
	threads, err := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		children, failed := os.ReadFile("/proc/self/task/" + thread.Name() + "/children")
		for _, word := range strings.Fields(string(children)) {
			if pid, _ := strconv.Atoi(word); !isLeader(pid, nil) {
				return true
			}
		}
		if failed != nil && !os.IsNotExist(failed) {
			err = failed
		}
	}
	return err != nil
}

func (p *container) scan() []process {
	all := p.members()
	if p.helper {
		p.spaces.note(all)
		p.spaces.markHelpers(all, p.tree.leader)
	}
	return all
}

func (p *container) members() []process {
	if !p.contained() {
		return p.tree.scanNow()
	}
	all := p.cgroup.members()
	if !p.strangers() {
		return all
	}
	in := make(map[ident]bool)
	for _, m := range all {
		in[m.ident] = true
	}
	for _, m := range p.tree.scanNow() {
		if !in[m.ident] {
			all = append(all, m)
		}
	}
	return all
}

func (p *container) empty() bool {
	if !p.contained() {
		return p.tree.empty()
	}
	return !p.cgroup.populated() && (!p.strangers() || p.tree.empty())
}

// terminate sends SIGTERM. It is the first step of the ladder, and the last moment
// at which all namespaces exist. The kernel may not deliver SIGTERM to the first
// process of a namespace: a helper that has started nothing is killed, and others
// end after their command.
func (p *container) terminate(list []process) bool {
	p.spaces.note(list)
	for _, m := range idleHelpers(list) {
		signalProcess(m.ident, unix.SIGKILL)
	}
	terminate(list)
	return true
}

// kill kills all processes. In a PID namespace, the first process is killed
// first: the kernel then kills the others at once, so none can escape by forking.
func (p *container) kill() []process {
	var all []process
	if p.spaces.living() {
		all = p.scan() // for the report
		p.spaces.kill()
	}
	if !p.contained() {
		return append(all, p.tree.kill()...)
	}
	all = append(all, p.cgroup.members()...) // for the report; processes outside the cgroup are added below
	if p.cgroup.kill() != nil {              // Linux before 5.14
		for _, m := range p.cgroup.members() {
			signalProcess(m.ident, unix.SIGKILL)
		}
	}
	if p.strangers() {
		all = append(all, p.tree.kill()...)
	}
	return all
}

// leave releases the container's resources. Cgroups are removed if they are empty.
func (p *container) leave() {
	p.closeDir()
	farewell(p.tree)
	p.spaces.release()
	if p.contained() && !p.cgroup.populated() {
		_ = p.cgroup.remove()
	}
	p.limiter.remove()
}
