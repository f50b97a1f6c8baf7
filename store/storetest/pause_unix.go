//go:build unix

package storetest

import "syscall"

// pause stops the child where it stands, and returns once it does.
func (p *process) pause() {
	p.signal(syscall.SIGSTOP)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		p.b.Fatalf("pausing the child process: status %v, error %v", status, err)
	}
}

// resume lets it go on.
func (p *process) resume() { p.signal(syscall.SIGCONT) }

func (p *process) signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil {
		p.b.Fatalf("signal %v: %v", s, err)
	}
}
