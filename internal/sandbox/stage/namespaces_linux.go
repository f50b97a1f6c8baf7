package stage

import (
	"os"
	"syscall"
)

// setupCaps are the capabilities in the new namespaces that the inner helper
// needs. Without ambient ones, the exec of a user other than root loses all.
var setupCaps = []uintptr{capSetpcap, capNetAdmin, capSysAdmin}

// outer creates the namespaces. A separate process does this because the
// server is not dumpable, and so cannot write the user map of a child. It exits
// after process 1 of the namespace, with its code.
func outer() error {
	arrived := ignoreSignals()
	p, err := readPlan()
	if err != nil {
		return err
	}
	files := []uintptr{0, 1, 2, PlanFD}
	for _, fd := range p.passed() {
		files = append(files, uintptr(fd))
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
	for _, fd := range p.passed() {
		closeFD(int(fd))
	}
	letGo()
	os.Exit(wait(pid))
	return nil
}

// inner sets up the sandbox that its parent has created the namespaces of.
func inner() error { return first(arrange) }

// first is process 1 of the namespaces. It prepares the sandbox, starts the
// command, and reaps until it has no child. It exits with the command's code, or
// when the server ends.
func first(prepare func(*Plan) error) error {
	arrived := ignoreSignals()
	p, err := readPlan()
	if err != nil {
		return err
	}
	for _, fd := range append(p.passed(), PlanFD) {
		syscall.CloseOnExec(int(fd))
	}
	go dieWith(int(p.LifeFD))
	if err := prepare(p); err != nil {
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
	reap(pid, int(p.StatusFD))
	return nil
}

// passed returns the descriptors that process 1 inherits after the plan. Package
// sandbox has numbered them in this order: they have the same numbers there.
func (p *Plan) passed() []int64 {
	var all []int64
	for _, fd := range []int64{p.LifeFD, p.StatusFD, p.SocketFD, p.ExtraFD} {
		if fd != 0 {
			all = append(all, fd)
		}
	}
	return all
}

// dieWith ends this process, and with it the namespace, when the server ends:
// nobody else can write to the pipe, and the server never does. It runs in
// a separate thread.
func dieWith(pipe int) {
	for {
		if _, err := syscall.Read(pipe, make([]byte, 1)); err != syscall.EINTR { //nolint:errorlint // a plain errno
			syscall.Exit(128 + int(syscall.SIGKILL))
		}
	}
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
		if err := sendListener(p); err != nil {
			return err
		}
	}
	if err := hideMemory(); err != nil {
		return err
	}
	return confine(p)
}

// hideMemory protects this process from the command. Its other threads keep their
// capabilities, and are not confined. The command cannot use them: no process
// without capabilities may trace one that is not dumpable.
func hideMemory() error {
	if err := prctl(prSetDumpable, 0); err != nil {
		return failure("hide the memory", err)
	}
	return nil
}

// reap waits for all children, and exits with the code of the command. If the
// command leaves processes behind, its code is sent before they end.
func reap(command, status int) {
	result := 0
	for {
		var ended syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ended, 0, nil)
		if err == syscall.EINTR { //nolint:errorlint // a plain errno
			continue
		}
		if err != nil { // no child is left
			os.Exit(result)
		}
		if pid == command {
			result = code(ended)
			if hasChildren() {
				_, _ = syscall.Write(status, []byte{byte(result)}) // fails if the server has ended
			}
			closeFD(status)
		}
	}
}

// hasChildren reaps the children that have ended, and reports whether others live.
func hasChildren() bool {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR: //nolint:errorlint // a plain errno
		case err != nil:
			return false
		case pid <= 0:
			return true
		}
	}
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
