package proc

import (
	"time"
)

// Limits bounds what a command and its descendants may use together. A limit of
// zero is not set.
//
// LimitsBy names the means that enforce Memory, Processes and CPU. With cgroups
// of either version, all three hold for the command and its descendants
// together. If memory runs out, the kernel kills the largest process of the
// command; a fork above the limit fails. With resource limits, Memory bounds the
// private memory of each process (RLIMIT_DATA), Processes bounds the threads that
// this user may have in addition to those at the start of the command
// (RLIMIT_NPROC; the kernel counts per user, and does not limit root), and
// MemoryPercent and CPU are not limited. Systems other than Linux only watch Disk.
//
// MemoryPercent bounds no swap, and it does not become a resource limit: a program
// that reserves memory which it does not use, such as one with a sanitizer, would
// not start.
type Limits struct {
	Memory    int64 // bytes
	Processes int   // living at the same time; threads count too

	// MemoryPercent is Memory in percent of the memory that this machine, or the
	// cgroup of this process, has. It counts if Memory is 0.
	MemoryPercent int

	CPU  float64 // number of processors; 0.5 is half of one
	Disk string  // directory whose file system must keep free space; "" means not watched
}

// The limits that a report can name.
const (
	LimitMemory    = "memory"
	LimitProcesses = "processes"
	LimitDisk      = "disk"
)

// The means by which limits are enforced.
const (
	byCgroup2 = "cgroup2"
	byCgroup1 = "cgroup1"
	byRlimit  = "rlimit"
)

// bounded reports whether the kernel has to enforce a limit.
func (l Limits) bounded() bool { return l.Memory > 0 || l.Processes > 0 || l.CPU > 0 }

// Resolve returns the limits with Memory in bytes. MemoryPercent is 0 if it does not
// count. If the memory of the machine is unknown, it is not limited.
func (l Limits) Resolve() Limits {
	if l.Memory > 0 || l.MemoryPercent <= 0 {
		l.MemoryPercent = 0
		return l
	}
	l.Memory = machineMemory() / 100 * int64(l.MemoryPercent)
	return l
}

// The free space that a file system must keep is max(5 %, 1 GiB). A file system
// that has less at the start of a command must keep half of it.
const (
	leastFree   = 1 << 30
	leastPart   = 20 // 1/20 of the file system
	diskChecked = 200 * time.Millisecond
)

// reserve returns the number of bytes that must stay free on a file system of
// the given size.
func reserve(size, freeAtStart uint64) uint64 {
	least := max(size/leastPart, leastFree)
	if freeAtStart < least {
		return freeAtStart / 2
	}
	return least
}

// watchDisk closes r.diskLow when the file system of the limit has too little
// free space. It returns then, or when the command ends. A directory whose file
// system cannot be read is not watched.
func (r *Running) watchDisk() {
	free, size, err := freeSpace(r.command.Limits.Disk)
	if err != nil {
		r.keeper.opts.Logger.Warn("cannot watch the free disk space", "owner", r.command.Owner, "err", err)
		return
	}
	least := reserve(size, free)
	tick := time.NewTicker(diskChecked)
	defer tick.Stop()
	for {
		select {
		case <-r.exited:
			return
		case <-r.done:
			return
		case <-tick.C:
			if free, _, err := freeSpace(r.command.Limits.Disk); err == nil && free < least {
				close(r.diskLow)
				return
			}
		}
	}
}
