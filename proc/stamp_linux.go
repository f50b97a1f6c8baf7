package proc

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// The stamp is a number in a resource limit that does not limit anything in
// practice: RLIMIT_RTTIME, the microseconds that a real-time process may run
// without a pause, set to more than ten thousand years. Fork and exec pass it
// on, setsid and a cleared environment do not change it, and any process can
// read it, even of a zombie. So it identifies the command of an orphan that has
// lost all other marks, even for the next Bellcord process after a crash.
const (
	realtimeLimit = 15 // RLIMIT_RTTIME
	leastStamp    = 1 << 60
)

func newStamp() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return leastStamp | binary.NativeEndian.Uint64(b[:])>>5
}

// putStamp stamps a process that has not been reaped, and reports whether it
// succeeded.
func putStamp(pid int, stamp uint64) bool {
	var limit unix.Rlimit
	if unix.Prlimit(pid, realtimeLimit, nil, &limit) != nil || limit.Max < stamp {
		return false
	}
	limit.Cur = stamp
	return unix.Prlimit(pid, realtimeLimit, &limit, nil) == nil
}

// stampOf returns a process's stamp, or 0 if it has none.
func stampOf(pid int) uint64 {
	limits, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	_, line, _ := bytes.Cut(limits, []byte("Max realtime timeout"))
	f := bytes.Fields(line)
	if len(f) == 0 {
		return 0
	}
	stamp, err := strconv.ParseUint(string(f[0]), 10, 64)
	if err != nil || stamp < leastStamp {
		return 0
	}
	return stamp
}

// stampTree stamps the leader right after its start, and the children that it
// has already started. The kernel passes the stamp on to later ones.
func (t *tree) stampTree() {
	if !putStamp(t.leader.pid, t.stamp) {
		return
	}
	early, err := os.ReadFile("/proc/" + strconv.Itoa(t.leader.pid) + "/task/" + strconv.Itoa(t.leader.pid) + "/children")
	if err == nil && len(early) == 0 {
		return
	}
	for range 3 {
		fresh := false
		for _, p := range t.scanNow() {
			fresh = stampOf(p.pid) != t.stamp && putStamp(p.pid, t.stamp) || fresh
		}
		if !fresh {
			return
		}
	}
}
