//go:build unix

package storetest

import "syscall"

// pause stops the child with SIGSTOP and returns once it has stopped.
func (p *process) pause() {
	p.signal(syscall.SIGSTOP)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		p.b.Fatalf("pausing the child process: status %v, error %v", status, err)
	}
}

// resume continues a paused child.
func (p *process) resume() { p.signal(syscall.SIGCONT) }

func (p *process) signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil {
		p.b.Fatalf("signal %v: %v", s, err)
	}
}
