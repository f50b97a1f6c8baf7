package proc

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// The stamp is a number in a resource limit that limits nothing: how many
// microseconds a real-time process may run without pause, set to some ten
// thousand years. Fork and exec hand it on, setsid and a cleared environment
// leave it alone, and everybody may read it, even of a zombie. So an orphan
// that has lost every other sign still says which command it came from, also
// to the next Bellcord after a crash.
const (
	realtimeLimit = 15 // RLIMIT_RTTIME
	leastStamp    = 1 << 60
)

func newStamp() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return leastStamp | binary.NativeEndian.Uint64(b[:])>>5
}

// putStamp stamps a process that is not yet buried.
func putStamp(pid int, stamp uint64) bool {
	var limit unix.Rlimit
	if unix.Prlimit(pid, realtimeLimit, nil, &limit) != nil || limit.Max < stamp {
		return false
	}
	limit.Cur = stamp
	return unix.Prlimit(pid, realtimeLimit, &limit, nil) == nil
}

// stampOf is 0 for a process without one.
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

// stampTree stamps the leader right after its start, and whomever it managed to
// start before; from then on the kernel hands the stamp on.
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
		for _, p := range t.look() {
			fresh = stampOf(p.pid) != t.stamp && putStamp(p.pid, t.stamp) || fresh
		}
		if !fresh {
			return
		}
	}
}
