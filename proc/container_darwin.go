package proc

import (
	"os/exec"
	"syscall"
)

// container contains the processes of one command, found by process group, session
// and marker. On macOS, orphans go to launchd, so a process that leaves its
// session, clears its environment and loses its parent between two scans is not
// found.
type container struct {
	tree      *tree
	elaborate bool // always false: there is only one way to start
}

func newContainer(_ Command, id string, _ bool) *container {
	return &container{tree: newTree(id, ident{}, 0)}
}

// start starts the process in a new session, which is also a new process group
// and has no controlling terminal: the command can neither open /dev/tty nor
// insert keys into the input of the terminal on which this process prompts the
// user.
func (p *container) start(cmd *exec.Cmd) error {
	defer starting()()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	leader, _ := read(cmd.Process.Pid)
	p.tree.leader, p.tree.since = leader.ident, leader.start
	p.tree.groups[cmd.Process.Pid] = true
	p.tree.own = true
	welcome(p.tree)
	return nil
}

func recall(e entry) *container {
	t := newTree(e.Marker, ident{e.PID, e.Start}, e.Start)
	if leader, ok := read(e.PID); ok && leader.ident == t.leader {
		t.groups[e.PID] = true // while the leader exists, the group id is not reused
	}
	return &container{tree: t}
}

func (p *container) entry() entry {
	return entry{PID: p.tree.leader.pid, Start: p.tree.leader.start, Place: place()}
}

func (p *container) reaped() { waited(p.tree) }

func (p *container) proof() string { return "process_scan" }

func (p *container) partProof() string { return p.proof() }

func (p *container) tend() { p.tree.scanNow() }

func (p *container) scan() []process { return p.tree.scanNow() }

func (p *container) empty() bool { return p.tree.empty() }

func (p *container) terminate(list []process) bool {
	terminate(list)
	return true
}

func (p *container) kill() []process { return p.tree.kill() }

func (p *container) leave() { farewell(p.tree) }
