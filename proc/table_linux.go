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

// table is all processes that this one can see.
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

// recentTable is shared by those who only keep their trees in view.
func recentTable() []process {
	recent.Lock()
	defer recent.Unlock()
	if time.Since(recent.at) > 50*time.Millisecond {
		recent.table = table()
		recent.at = time.Now()
	}
	return recent.table
}

// read reads one line of the table. The name in it may contain anything, also
// spaces and brackets: what counts begins after the last bracket.
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
	// A zombie with threads is a program whose first thread has ended: it runs.
	p.dead = f[0] == "X" || f[0] == "Z" && (f[17] == "0" || f[17] == "1")
	p.parent, _ = strconv.Atoi(f[1])
	p.group, _ = strconv.Atoi(f[2])
	p.session, _ = strconv.Atoi(f[3])
	p.start, _ = strconv.ParseUint(f[19], 10, 64)
	return p, true
}

func nameOf(pid int) string {
	path := "/proc/" + strconv.Itoa(pid)
	if line, _ := os.ReadFile(path + "/cmdline"); len(line) > 0 {
		return shorten(string(bytes.ReplaceAll(bytes.TrimRight(line, "\x00"), []byte{0}, []byte{' '})))
	}
	comm, _ := os.ReadFile(path + "/comm")
	return "[" + strings.TrimSpace(string(comm)) + "]"
}

// marked reports whether a process has the marker in the environment that it
// was started with. Of another user's processes we may not know.
func marked(pid int, id string) bool { return strings.Contains(markerOf(pid), id) }

// markerOf is the marker in the environment that a process was started with, ""
// where there is none or where it may not be read.
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

// signalProcess signals exactly this process, never a later one with the same
// number: the descriptor is bound to one process, and the start time
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
	_ = unix.Kill(id.pid, sig) // a kernel before 5.3
}

// place is where process numbers mean something: this boot, and this container.
var place = sync.OnceValue(func() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space
})

// adoptOrphans makes this process the parent of every descendant that loses its own.
var adoptOrphans = sync.OnceFunc(func() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
})
