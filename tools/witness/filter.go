//go:build linux && amd64

package main

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// call is a system call that can change files.
type call struct {
	name  string
	paths []path
	flags int // argument with the flags of open: only calls that can write count; -1: all calls
}

// path is a path among the arguments. dir is the argument with the directory to
// which it is relative, -1 for the working directory.
type path struct{ arg, dir int }

// writes are the flags of open with which a file can change.
const writes = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC

// calls are announced to the supervisor.
var calls = map[int32]call{
	unix.SYS_OPEN:      {"open", []path{{0, -1}}, 1},
	unix.SYS_OPENAT:    {"openat", []path{{1, 0}}, 2},
	unix.SYS_OPENAT2:   {"openat2", []path{{1, 0}}, -1},
	unix.SYS_CREAT:     {"creat", []path{{0, -1}}, -1},
	unix.SYS_RENAME:    {"rename", []path{{0, -1}, {1, -1}}, -1},
	unix.SYS_RENAMEAT:  {"renameat", []path{{1, 0}, {3, 2}}, -1},
	unix.SYS_RENAMEAT2: {"renameat2", []path{{1, 0}, {3, 2}}, -1},
	unix.SYS_UNLINK:    {"unlink", []path{{0, -1}}, -1},
	unix.SYS_UNLINKAT:  {"unlinkat", []path{{1, 0}}, -1},
	unix.SYS_RMDIR:     {"rmdir", []path{{0, -1}}, -1},
	unix.SYS_MKDIR:     {"mkdir", []path{{0, -1}}, -1},
	unix.SYS_MKDIRAT:   {"mkdirat", []path{{1, 0}}, -1},
	unix.SYS_LINK:      {"link", []path{{1, -1}}, -1},
	unix.SYS_LINKAT:    {"linkat", []path{{3, 2}}, -1},
	unix.SYS_SYMLINK:   {"symlink", []path{{1, -1}}, -1},
	unix.SYS_SYMLINKAT: {"symlinkat", []path{{2, 1}}, -1},
	unix.SYS_TRUNCATE:  {"truncate", []path{{0, -1}}, -1},
	unix.SYS_CHMOD:     {"chmod", []path{{0, -1}}, -1},
	unix.SYS_FCHMOD:    {"fchmod", nil, -1},
	unix.SYS_FCHMODAT:  {"fchmodat", []path{{1, 0}}, -1},
	unix.SYS_FCHMODAT2: {"fchmodat2", []path{{1, 0}}, -1},
	unix.SYS_MKNOD:     {"mknod", []path{{0, -1}}, -1},
	unix.SYS_MKNODAT:   {"mknodat", []path{{1, 0}}, -1},
}

// program returns the filter. It announces the calls in the table and allows all
// others. Calls of 32-bit programs are allowed too.
func program() []unix.SockFilter {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		anyBit = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		result = unix.BPF_RET | unix.BPF_K

		number, architecture, arguments = 0, 4, 16
	)
	allow := unix.SockFilter{Code: result, K: unix.SECCOMP_RET_ALLOW}
	notify := unix.SockFilter{Code: result, K: unix.SECCOMP_RET_USER_NOTIF}
	p := []unix.SockFilter{
		{Code: load, K: architecture},
		{Code: equal, K: unix.AUDIT_ARCH_X86_64, Jt: 1},
		allow,
		{Code: load, K: number},
	}
	for n, c := range calls {
		if c.flags < 0 {
			p = append(p, unix.SockFilter{Code: equal, K: uint32(n), Jf: 1}, notify)
			continue
		}
		p = append(p, unix.SockFilter{Code: equal, K: uint32(n), Jf: 4},
			unix.SockFilter{Code: load, K: uint32(arguments + 8*c.flags)},
			unix.SockFilter{Code: anyBit, K: writes, Jf: 1}, notify, allow)
	}
	return append(p, allow)
}

// install puts the thread of the caller under the filter, with everything that it
// executes, and returns the listener. The goroutine stays on the thread.
func install() (int, error) {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return -1, fmt.Errorf("no_new_privs: %w", err)
	}
	filter := program()
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	fd, _, errno := syscall.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog))) //nolint:gosec // the kernel reads the structure
	if errno != 0 {
		return -1, fmt.Errorf("seccomp: %w", errno)
	}
	return int(fd), nil
}
