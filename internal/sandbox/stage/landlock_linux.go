package stage

import (
	"syscall"
	"unsafe"
)

// Access rights of Landlock for files.
const (
	Execute    = 1 << 0
	WriteFile  = 1 << 1
	ReadFile   = 1 << 2
	ReadDir    = 1 << 3
	refer      = 1 << 13
	truncate   = 1 << 14
	IoctlDev   = 1 << 15
	bindTCP    = 1 << 0
	connectTCP = 1 << 1

	// ReadAccess and WriteAccess are complete sets: WriteAccess includes reading.
	ReadAccess  = Execute | ReadFile | ReadDir
	WriteAccess = 1<<15 - 1

	fileAccess = Execute | WriteFile | ReadFile | truncate | IoctlDev

	ruleBeneath = 1
	rulePort    = 2
	scopeAll    = 0x3 // abstract sockets and signals
)

// LandlockVersion returns the version of Landlock in this kernel, or 0.
func LandlockVersion() int {
	r, _, errno := syscall.Syscall(sysLandlockCreateRuleset, 0, 0, 1)
	if errno != 0 {
		return 0
	}
	return int(r)
}

// HandledFiles returns the access rights that a version of Landlock restricts.
func HandledFiles(version int) uint64 {
	all := uint64(1<<13 - 1)
	if version >= 2 {
		all |= refer
	}
	if version >= 3 {
		all |= truncate
	}
	if version >= 5 {
		all |= IoctlDev
	}
	return all
}

type ruleset struct {
	files, network, scope uint64
}

func restrict(p *Plan) error {
	version := LandlockVersion()
	var attr ruleset
	if len(p.Rules) > 0 {
		attr.files = HandledFiles(version)
	}
	size := uintptr(8)
	if version >= 4 {
		size = 16
		if p.RestrictTCP {
			attr.network = bindTCP | connectTCP
		}
	}
	if version >= 6 {
		size = 24
		if p.Scope {
			attr.scope = scopeAll
		}
	}
	if attr == (ruleset{}) {
		return nil // the filter of system calls and the gaps of the level cover the rest
	}
	r, _, errno := syscall.Syscall(sysLandlockCreateRuleset, uintptr(unsafe.Pointer(&attr)), size, 0) //nolint:gosec // for a system call
	fd, err := result(r, errno)
	if err != nil {
		return err
	}
	defer closeFD(fd)
	for _, rule := range p.Rules {
		if err := allowPath(fd, rule, rule.Access&attr.files); err != nil && !isMissing(err) {
			return failure(rule.Path, err)
		}
	}
	if attr.network != 0 && p.ConnectPort != 0 {
		port := struct{ access, port uint64 }{connectTCP, uint64(p.ConnectPort)}
		_, _, errno := syscall.Syscall6(sysLandlockAddRule, uintptr(fd), rulePort, uintptr(unsafe.Pointer(&port)), 0, 0, 0) //nolint:gosec // for a system call
		if errno != 0 {
			return errno
		}
	}
	_, _, errno = syscall.Syscall(sysLandlockRestrictSelf, uintptr(fd), 0, 0)
	_, err = result(0, errno)
	return err
}

func allowPath(ruleset int, rule Rule, access uint64) error {
	fd, err := openExact(rule.Path, rule.Dev, rule.Ino)
	if err != nil {
		return err
	}
	defer closeFD(fd)
	var info syscall.Stat_t
	if err := syscall.Fstat(fd, &info); err != nil {
		return err
	}
	if info.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		access &= fileAccess
	}
	var attr [12]byte                                                                                                           // packed: 8 bytes of rights, 4 bytes of the descriptor
	*(*uint64)(unsafe.Pointer(&attr[0])) = access                                                                               //nolint:gosec // for a system call
	*(*int32)(unsafe.Pointer(&attr[8])) = int32(fd)                                                                             //nolint:gosec // for a system call
	_, _, errno := syscall.Syscall6(sysLandlockAddRule, uintptr(ruleset), ruleBeneath, uintptr(unsafe.Pointer(&attr)), 0, 0, 0) //nolint:gosec // for a system call
	_, err = result(0, errno)
	return err
}
