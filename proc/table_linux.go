package proc

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// table returns all processes that are visible to this one.
func table() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	all := make([]process, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if p, ok := read(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all
}

var recent struct {
	sync.Mutex
	at    time.Time
	table []process
}

// recentTable returns a table that is at most 50 ms old, for scans while
// commands run. All trees share it.
func recentTable() []process {
	recent.Lock()
	defer recent.Unlock()
	if time.Since(recent.at) > 50*time.Millisecond {
		recent.table = table()
		recent.at = time.Now()
	}
	return recent.table
}

// read reads one process from the table. The name in it may contain any
// character, including spaces and parentheses, so parsing starts after the last
// parenthesis.
func read(pid int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 20 {
		return process{}, false
	}
	p := process{ident: ident{pid: pid}, halted: f[0] == "T"}
	// A zombie with threads is a running program: only its main thread has
	// exited.
	p.dead = f[0] == "X" || f[0] == "Z" && (f[17] == "0" || f[17] == "1")
	p.parent, _ = strconv.Atoi(f[1])
	p.group, _ = strconv.Atoi(f[2])
	p.session, _ = strconv.Atoi(f[3])
	p.start, _ = strconv.ParseUint(f[19], 10, 64)
	return p, true
}

// statusOf returns a function that returns the values of a field in a process's
// status.
func statusOf(pid int) func(field string) []string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	return func(field string) []string {
		_, rest, _ := bytes.Cut(text, []byte("\n"+field+":"))
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		return strings.Fields(string(line))
	}
}

func nameOf(pid int) string {
	path := "/proc/" + strconv.Itoa(pid)
	if line, _ := os.ReadFile(path + "/cmdline"); len(line) > 0 {
		return shorten(string(bytes.ReplaceAll(bytes.TrimRight(line, "\x00"), []byte{0}, []byte{' '})))
	}
	comm, _ := os.ReadFile(path + "/comm")
	return "[" + strings.TrimSpace(string(comm)) + "]"
}

// marked reports whether the environment that a process was started with
// contains the marker. The environment of another user's process may be
// unreadable; the result is then false.
func marked(pid int, id string) bool { return strings.Contains(markerOf(pid), id) }

// markerOf returns the marker in the environment that a process was started
// with, or "" if there is no marker or the environment cannot be read.
func markerOf(pid int) string {
	env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	var all []string
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(markerName+"=")); ok {
			all = append(all, string(value))
		}
	}
	return strings.Join(all, ",")
}

// signalProcess sends a signal to exactly this process, never to a later one
// with the same pid: a pidfd refers to one process, and the start time
// identifies it.
func signalProcess(id ident, sig unix.Signal) {
	fd, err := unix.PidfdOpen(id.pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err == nil {
		defer func() { _ = unix.Close(fd) }()
	}
	if p, ok := read(id.pid); !ok || p.ident != id {
		return
	}
	if err == nil {
		_ = unix.PidfdSendSignal(fd, sig, nil, 0)
		return
	}
	_ = unix.Kill(id.pid, sig) // Linux before 5.3
}

// place identifies the boot and the pid namespace, within which pids are valid.
var place = sync.OnceValue(func() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space
})

// adoptOrphans makes this process the parent of every descendant that loses its
// parent.
var adoptOrphans = sync.OnceFunc(func() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
})
