package proc

import (
	"bytes"
	"encoding/binary"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	halted = 4 // SSTOP
	zombie = 5 // SZOMB
)

// table returns all processes.
func table() []process {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	all := make([]process, 0, len(list))
	for i := range list {
		all = append(all, line(&list[i]))
	}
	return all
}

func read(pid int) (process, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return process{}, false
	}
	return line(k), true
}

func line(k *unix.KinfoProc) process {
	p := process{
		ident:  ident{int(k.Proc.P_pid), uint64(k.Proc.P_starttime.Nano())},
		parent: int(k.Eproc.Ppid),
		group:  int(k.Eproc.Pgid),
		dead:   k.Proc.P_stat == zombie,
		halted: k.Proc.P_stat == halted,
	}
	p.session, _ = unix.Getsid(p.pid)
	return p
}

// arguments returns the number of arguments, and the program's path, its
// arguments and its environment. The kernel returns those of the same user's
// processes only.
func arguments(pid int) (count int, words [][]byte) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return 0, nil
	}
	count = int(binary.NativeEndian.Uint32(raw))
	path, rest, _ := bytes.Cut(raw[4:], []byte{0})
	return count, append([][]byte{path}, bytes.Split(bytes.TrimLeft(rest, "\x00"), []byte{0})...)
}

func nameOf(pid int) string {
	if count, words := arguments(pid); len(words) > count {
		return shorten(string(bytes.Join(words[1:count+1], []byte{' '})))
	}
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return ""
	}
	return "[" + unix.ByteSliceToString(k.Proc.P_comm[:]) + "]"
}

func marked(pid int, id string) bool { return strings.Contains(markerOf(pid), id) }

// markerOf returns the marker in the environment that a process was started
// with, or "" if there is no marker or the environment cannot be read.
func markerOf(pid int) string {
	_, words := arguments(pid)
	var all []string
	for _, word := range words {
		if value, ok := bytes.CutPrefix(word, []byte(markerName+"=")); ok {
			all = append(all, string(value))
		}
	}
	return strings.Join(all, ",")
}

// cgroupIDs returns nil: macOS has no cgroups.
func cgroupIDs(int) []string { return nil }

// stampOf returns 0: macOS has no stamp.
func stampOf(int) uint64 { return 0 }

// signalProcess sends a signal to a process, unless its pid has been reused.
func signalProcess(id ident, sig unix.Signal) {
	if p, ok := read(id.pid); ok && p.ident == id {
		_ = unix.Kill(id.pid, sig)
	}
}

// place identifies the boot, within which pids are valid.
var place = sync.OnceValue(func() string {
	boot, _ := unix.Sysctl("kern.bootsessionuuid")
	return boot
})

// adoptOrphans does nothing: on macOS, orphans go to launchd.
func adoptOrphans() {}
