package proc

import (
	"os/exec"
	"syscall"
)

// pen contains the processes of one command, found by process group, session
// and marker. On macOS, orphans go to launchd, so a process that leaves its
// session, clears its environment and loses its parent between two scans is not
// found.
type pen struct {
	tree      *tree
	elaborate bool // always false: there is only one way to start
}

func newPen(id string, _ bool) *pen { return &pen{tree: newTree(id, ident{}, 0)} }

// start starts the process in a new session, which is also a new process group
// and has no controlling terminal: the command can neither open /dev/tty nor
// insert keys into the input of the terminal on which this process prompts the
// user.
func (p *pen) start(cmd *exec.Cmd) error {
	defer starting()()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	leader, _ := read(cmd.Process.Pid)
	p.tree.leader, p.tree.since = leader.ident, leader.start
	p.tree.groups[cmd.Process.Pid] = true
	p.tree.mine = true
	welcome(p.tree)
	return nil
}

func recall(e entry) *pen {
	t := newTree(e.Marker, ident{e.PID, e.Start}, e.Start)
	if leader, ok := read(e.PID); ok && leader.ident == t.leader {
		t.groups[e.PID] = true // while the leader exists, the group id is not reused
	}
	return &pen{tree: t}
}

func (p *pen) entry() entry {
	return entry{PID: p.tree.leader.pid, Start: p.tree.leader.start, Place: place()}
}

func (p *pen) reaped() { waited(p.tree) }

func (p *pen) proof() string { return "process_scan" }

func (p *pen) tend() { p.tree.look() }

func (p *pen) look() []process { return p.tree.look() }

func (p *pen) empty() bool { return p.tree.empty() }

func (p *pen) ask(list []process) bool {
	ask(list)
	return true
}

func (p *pen) kill() []process { return p.tree.kill() }

func (p *pen) leave() { farewell(p.tree) }
