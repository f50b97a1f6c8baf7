package proc

import (
	"fmt"
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
	if l.Memory > 0 && l.MemoryPercent == 0 {
		done = set(unix.RLIMIT_DATA, uint64(l.Memory))
	}
	if l.Processes > 0 {
		done = set(unix.RLIMIT_NPROC, uint64(threadsBeside(l.Processes)+l.Processes)) || done
	}
	return done
}

// manyProcesses is a limit beside which the threads of other users do not matter.
const manyProcesses = 1000

// threadsBeside returns the number of threads that exist beside a limit. For a large
// one, it is that of all users, which is one file to read and not one per process.
func threadsBeside(limit int) int {
	if limit >= manyProcesses {
		if n := machineThreads(); n > 0 {
			return n
		}
	}
	return userThreads()
}

// machineThreads returns the number of threads of all users, or 0.
func machineThreads() int {
	text, _ := os.ReadFile("/proc/loadavg")
	var a, b, c float64
	var running, n int
	_, _ = fmt.Sscanf(string(text), "%f %f %f %d/%d", &a, &b, &c, &running, &n) // 0 if it fails
	return n
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
