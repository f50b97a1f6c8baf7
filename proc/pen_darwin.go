package proc

import (
	"os/exec"
	"syscall"
)

// pen holds the processes of one command as a tree: by group, session and
// marker. Orphans go to launchd here, so one that leaves its session, clears
// its environment and loses its parent between two looks is not found.
type pen struct {
	tree      *tree
	elaborate bool // never: there is one way only
}

func newPen(id string, _ bool) *pen { return &pen{tree: newTree(id, ident{}, 0)} }

// start starts the process in a new session, which is also a new process group
// and has no controlling terminal: the command can neither open /dev/tty nor
// insert keys into the input of the terminal that this process asks on.
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
		t.groups[e.PID] = true // while it is there, the group is its own
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
