package stage

import (
	"os"
	"syscall"
)

// File descriptors of the inner helper.
const (
	statusFD      = 4
	innerSocketFD = 5
)

// setupCaps are the capabilities in the new namespaces that the inner helper
// needs. Without ambient ones, the exec of a user other than root loses all.
var setupCaps = []uintptr{capSetpcap, capNetAdmin, capSysAdmin}

// outer creates the namespaces. A separate process does this because the
// server is not dumpable, and so cannot write the user map of a child. It exits
// with the command's code as soon as the command has exited. Processes that the
// command left behind live on under process 1 of the namespace.
func outer() error {
	arrived := ignoreSignals()
	p, err := readPlan()
	if err != nil {
		return err
	}
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return failure("create a socket pair", err)
	}
	files := []uintptr{0, 1, 2, PlanFD, uintptr(ends[1])}
	if p.ListenPort != 0 {
		files = append(files, uintptr(p.SocketFD))
	}
	flags := syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	if !p.Network {
		flags |= syscall.CLONE_NEWNET
	}
	uid, gid := os.Getuid(), os.Getgid()
	pid, err := syscall.ForkExec("/proc/self/exe", append([]string{os.Args[0], Word, Inner}, os.Args[3:]...), &syscall.ProcAttr{ //nolint:gosec // running commands is the purpose
		Env:   os.Environ(),
		Files: files,
		Sys: &syscall.SysProcAttr{
			Cloneflags:  uintptr(flags),
			UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
			AmbientCaps: setupCaps,
		},
	})
	if err != nil {
		return failure("create the namespaces", err)
	}
	if s, ok := signalled(arrived); ok { // before the inner helper existed: nobody else got it
		_ = syscall.Kill(pid, syscall.SIGKILL)
		wait(pid)
		os.Exit(128 + int(s))
	}
	closeFD(ends[1])
	if p.ListenPort != 0 {
		closeFD(int(p.SocketFD))
	}
	letGo()
	return report(pid, ends[0])
}

// report waits for the status of the command, and exits with it.
func report(pid, status int) error {
	var b [2]byte
	n, err := syscall.Read(status, b[:])
	for err == syscall.EINTR { //nolint:errorlint // a plain errno
		n, err = syscall.Read(status, b[:])
	}
	if n < len(b) {
		os.Exit(wait(pid)) // process 1 was killed, and everything with it
	}
	if b[1] != 0 { // nothing was left behind: process 1 exits, too
		wait(pid)
	}
	os.Exit(int(b[0]))
	return nil
}

// inner is process 1 of the namespaces. It sets the sandbox up, starts the
// command, and reaps until it has no child.
func inner() error {
	arrived := ignoreSignals()
	syscall.CloseOnExec(PlanFD)
	syscall.CloseOnExec(statusFD)
	p, err := readPlan()
	if err != nil {
		return err
	}
	if err := arrange(p); err != nil {
		return err
	}
	if p.Check != "" {
		return check(p.Check)
	}
	if s, ok := signalled(arrived); ok {
		os.Exit(128 + int(s))
	}
	path, err := lookup(os.Args[3])
	pid := 0
	if err == nil {
		pid, err = syscall.ForkExec(path, os.Args[3:], &syscall.ProcAttr{ //nolint:gosec // running commands is the purpose
			Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setpgid: true},
		})
	}
	if err != nil {
		return &notStarted{failed{os.Args[3], err}}
	}
	letGo()
	closeFD(PlanFD)
	reap(pid)
	return nil
}

// arrange sets the sandbox up, and gives up every right to change it.
func arrange(p *Plan) error {
	dir, err := syscall.Getwd()
	if err != nil {
		return failure("find the working directory", err)
	}
	if err := mountAll(p); err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil { // leaves the covered directory
		return failure("enter the working directory", err)
	}
	if !p.Network {
		if err := raiseLoopback(); err != nil {
			return failure("start the loopback network", err)
		}
	}
	if p.ListenPort != 0 {
		p.SocketFD = innerSocketFD
		if err := sendListener(p); err != nil {
			return err
		}
	}
	// Other threads of this process keep their capabilities. The command cannot
	// use them: no process without capabilities may trace one that is not dumpable.
	if err := prctl(prSetDumpable, 0); err != nil {
		return failure("hide the memory", err)
	}
	return confine(p)
}

// reap waits for all children, and reports the status of the command.
func reap(command int) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if err == syscall.EINTR { //nolint:errorlint // a plain errno
			continue
		}
		if err != nil { // no child is left
			os.Exit(0)
		}
		if pid == command {
			reportStatus(code(status))
		}
	}
}

// reportStatus sends the status of the command, and whether it left nothing behind.
func reportStatus(code int) {
	alone := byte(0)
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR { //nolint:errorlint // a plain errno
			continue
		}
		if err != nil {
			alone = 1
		}
		if pid <= 0 {
			break
		}
	}
	_, _ = syscall.Write(statusFD, []byte{byte(code), alone}) // the outer helper may have been killed
	closeFD(statusFD)
}

func wait(pid int) int {
	var status syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(pid, &status, 0, nil); err != syscall.EINTR { //nolint:errorlint // a plain errno
			return code(status)
		}
	}
}

func code(s syscall.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}

// letGo replaces the standard streams: they end when the command closes them.
func letGo() {
	null, err := syscall.Open("/dev/null", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	for fd := range 3 {
		_ = syscall.Dup3(null, fd, 0)
	}
	closeFD(null)
}
