package proc

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// setRlimits limits the private memory that each process may write to, and the
// number of its user's threads. It reports whether at least one limit was set.
// RLIMIT_AS would also count the addresses that Go, Node and Java reserve and do
// not use, which are many times the memory of the machine.
func (l Limits) setRlimits(pid int) bool {
	set := func(which int, value uint64) bool {
		var limit unix.Rlimit
		if unix.Prlimit(pid, which, nil, &limit) != nil {
			return false
		}
		limit.Cur = min(limit.Cur, value)
		limit.Max = min(limit.Max, value)
		return unix.Prlimit(pid, which, &limit, nil) == nil
	}
	done := false
	if l.Memory > 0 {
		done = set(unix.RLIMIT_DATA, uint64(l.Memory))
	}
	if l.Processes > 0 {
		done = set(unix.RLIMIT_NPROC, uint64(userThreads()+l.Processes)) || done
	}
	return done
}

// userThreads returns the number of threads that this process's user has. The
// owner of a directory in /proc is not always the user of the process.
func userThreads() int {
	n := 0
	for _, p := range table() {
		status := statusOf(p.pid)
		if f := status("Uid"); len(f) > 0 && f[0] == strconv.Itoa(os.Getuid()) {
			if f = status("Threads"); len(f) > 0 {
				threads, _ := strconv.Atoi(f[0])
				n += threads
			}
		}
	}
	return n
}
