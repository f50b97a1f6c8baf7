package stage

import (
	"syscall"
	"unsafe"
)

// confine gives up all privileges of this thread, for good, and restricts it.
func confine(p *Plan) error {
	if err := dropCapabilities(); err != nil {
		return failure("give up the capabilities", err)
	}
	if err := prctl(prSetNoNewPrivs, 1); err != nil {
		return failure("refuse new privileges", err)
	}
	if len(p.Rules) > 0 || p.Scope || p.RestrictTCP {
		if err := restrict(p); err != nil {
			return failure("restrict with Landlock", err)
		}
	}
	if err := filter(p); err != nil {
		return failure("filter the system calls", err)
	}
	return nil
}

// dropCapabilities also makes root an ordinary user: without the bounding set
// and with these bits, no program gives any capability back.
func dropCapabilities() error {
	// Only a process with CAP_SETPCAP may do this; one without it gains no
	// capability by other means than programs, which NO_NEW_PRIVS prevents.
	for c := range uintptr(64) {
		if err := prctl(prCapbsetDrop, c); err != nil {
			break
		}
	}
	_ = prctl(prSetSecurebits, secbits)
	_ = prctl(prCapAmbient, prCapAmbientClearAll)
	header := struct {
		version uint32
		pid     int32
	}{version: linuxCapability3}
	var none [2]struct{ effective, permitted, inheritable uint32 }
	_, _, errno := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0) //nolint:gosec // for a system call
	_, err := result(0, errno)
	return err
}
