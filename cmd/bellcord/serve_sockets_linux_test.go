package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord"
)

// noSockets is set in the environment of a process that must not open UNIX sockets.
const noSockets = "BELLCORD_TEST_NO_UNIX_SOCKETS=1"

func init() {
	name, value, _ := strings.Cut(noSockets, "=")
	if os.Getenv(name) == value {
		if err := forbidUNIXSockets(); err != nil {
			panic(err)
		}
	}
}

// forbidUNIXSockets makes every later call of socket(AF_UNIX) in this process fail
// with EAFNOSUPPORT, as on a system that has no such sockets.
func forbidUNIXSockets() error {
	const call, family = 0, 16 // offsets of the number and the first argument in seccomp_data
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: call},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SOCKET, Jf: 3},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: family},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.AF_UNIX, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EAFNOSUPPORT)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}

func TestServe_WithoutUNIXSockets_ServesOverTCPAndCommandsUseDataDirectory(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	s := w.daemon([]string{noSockets})
	if _, err := os.Stat(filepath.Join(w.data, "bellcord.sock")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket: %v", err)
	}
	if !strings.Contains(s.stderrText(), "this system has no UNIX sockets") {
		t.Errorf("no warning in %s", s.stderrText())
	}
	session, turn := s.prompts("[slow 1000 50ms]")
	s.until(session, "text_delta")
	out, errs, _ := w.does("stop", string(turn), "--json")
	var answer bellcord.StopAnswer
	if err := json.Unmarshal([]byte(out), &answer); err != nil || answer.Receipt == nil || answer.Receipt.End != bellcord.EndStopped {
		t.Errorf("%v: %q %q", err, out, errs)
	}
	s.terminates()
	if code := s.ends(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderrText())
	}
}
