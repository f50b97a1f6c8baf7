package proc

import (
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startTraced starts a process that is held before its first instruction, calls
// ready, and lets the process continue. Only ptrace can hold a process at that
// point; tracing ends before the program runs. If this process dies in between,
// the kernel releases the traced process.
func startTraced(cmd *exec.Cmd, ready func(pid int)) error {
	runtime.LockOSThread() // the thread that forks must be the tracer
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	for { // until it has stopped or was killed; the process is not reaped here
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR { //nolint:errorlint // a plain errno
			break
		}
	}
	ready(pid)
	_ = unix.PtraceDetach(pid)
	return nil
}

// traceable reports whether a program runs the same way if it starts traced.
// Setuid and setgid programs and programs with file capabilities do not: a
// traced process does not get these privileges.
func traceable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		return false
	}
	_, err = unix.Getxattr(path, "security.capability", nil)
	return err != nil // no capabilities, or the file system does not support them
}
