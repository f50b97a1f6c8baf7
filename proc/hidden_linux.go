package proc

import "golang.org/x/sys/unix"

// HideMemory keeps other processes of the same user from reading this process:
// its memory, its environment (in /proc) and its registers (ptrace). A process
// with CAP_SYS_PTRACE, such as root's, still can. It also prevents core dumps.
// Programs that this process starts are not affected.
func HideMemory() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }
