package proc

import (
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// startTraced starts a process that halts before its first instruction, calls
// ready, and lets it go. Tracing is the one thing that halts a process there;
// it ends before the program runs. Should we die meanwhile, the kernel lets the
// process go.
func startTraced(cmd *exec.Cmd, ready func(pid int)) error {
	runtime.LockOSThread() // the thread that forks is the one that traces
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr.Ptrace = true
	if err := cmd.Start(); err != nil {
		return err
	}
	pid := cmd.Process.Pid
	for { // until it has halted, or was killed; it is not buried here
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR { //nolint:errorlint // a number of the kernel's
			break
		}
	}
	ready(pid)
	_ = unix.PtraceDetach(pid)
	return nil
}

// traceable reports whether a program runs the same when it begins traced: one
// that changes its user or has capabilities of its own does not get them then.
func traceable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
		return false
	}
	_, err = unix.Getxattr(path, "security.capability", nil)
	return err != nil // it has none, or nobody can have them here
}
