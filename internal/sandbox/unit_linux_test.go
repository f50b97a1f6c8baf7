package sandbox_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/bellcord/bellcord/internal/sandbox"
)

// units are the systemd units that Bellcord ships.
var units = []string{"../../deploy/bellcord.service", "../autostart/unit/system.service", "../autostart/unit/user.service"}

func TestUnits_SystemCallFilterIsApplied_LevelIsThatWithoutTheFilter(t *testing.T) {
	if os.Getenv(lightEnv) != "" {
		t.Skip("the first run starts its processes as an unprivileged user")
	}
	t.Parallel()
	numbers := systemCalls(t)
	for version, sets := range filterSets(t) {
		for _, unit := range units {
			t.Run(version+" "+filepath.Base(filepath.Dir(unit))+" "+filepath.Base(unit), func(t *testing.T) {
				t.Parallel()
				var allowed []string
				for name := range expand(sets, strings.Fields(directive(t, unit, "SystemCallFilter"))...) {
					if number, known := numbers[name]; known {
						allowed = append(allowed, number)
					}
				}
				for _, v := range variants {
					want := levelUnder(t, v, "")
					if got := levelUnder(t, v, strings.Join(allowed, ",")); got != want {
						t.Errorf("%s: %s; without the filter: %s", v.name, got, want)
					}
				}
			})
		}
	}
}

func TestUnits_Settings_KeepProcWhole(t *testing.T) {
	if os.Getenv(lightEnv) != "" {
		t.Skip("the files of the repository are not here")
	}
	t.Parallel()
	for _, unit := range units {
		for _, name := range []string{"ProtectKernelTunables", "ProtectKernelLogs", "ProtectHostname", "ProcSubset", "RestrictNamespaces", "PrivateUsers"} {
			if value := directive(t, unit, name); value != "" {
				t.Errorf("%s: with %s=%s no namespaces can be used: it covers a part of /proc, or forbids them", unit, name, value)
			}
		}
	}
}

// directive returns the value of a directive, or "".
func directive(t *testing.T, unit, name string) string {
	t.Helper()
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, name+"="); is {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// filterSets returns the sets of system calls of a recorded version of systemd,
// and of that of this machine.
func filterSets(t *testing.T) map[string]map[string][]string {
	t.Helper()
	recorded, err := os.ReadFile("testdata/systemd-252.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string][]string{"systemd 252": parseSets(recorded)}
	if here, err := exec.Command("systemd-analyze", "syscall-filter").Output(); err == nil {
		all["this systemd"] = parseSets(here)
	}
	return all
}

func parseSets(text []byte) map[string][]string {
	all, set := map[string][]string{}, ""
	for line := range bytes.Lines(text) {
		name := strings.TrimSpace(string(line))
		switch {
		case name == "" || name[0] == '#':
		case line[0] == '@':
			set = name
		default:
			all[set] = append(all[set], name)
		}
	}
	return all
}

// expand returns the system calls of a list of sets and names. systemd adds
// @default, and ignores names that it does not know.
func expand(sets map[string][]string, names ...string) map[string]bool {
	all := map[string]bool{}
	for queue := slices.Concat(names, []string{"@default"}); len(queue) > 0; queue = queue[1:] {
		if name := queue[0]; name[0] == '@' {
			queue = append(queue, sets[name]...)
		} else {
			all[name] = true
		}
	}
	return all
}

// systemCalls returns the numbers of this architecture's system calls by name.
func systemCalls(t *testing.T) map[string]string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+runtime.GOARCH+".go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, match := range regexp.MustCompile(`(?m)^\s+SYS_(\w+)\s+= (\d+)`).FindAllSubmatch(text, -1) {
		all[strings.ToLower(string(match[1]))] = string(match[2])
	}
	return all
}

// levelUnder returns the level that an unprivileged user has with a filter that
// allows only the given system calls; without a filter if allowed is empty.
func levelUnder(t *testing.T, v variant, allowed string) string {
	t.Helper()
	dir := directory(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Getenv(probeEnv), "filtered", allowed, string(v.Level), v.Means)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// filtered is the program that prints its level, with a filter as systemd applies
// it: other system calls fail with EPERM.
func filtered(allowed string, o sandbox.Options) error {
	if allowed != "" {
		runtime.LockOSThread() // the filter belongs to this thread, and to the program that it executes
		if err := allowOnly(strings.Split(allowed, ",")); err != nil {
			return err
		}
		return unix.Exec("/proc/self/exe", []string{os.Args[0], "filtered", "", string(o.Level), o.Means}, os.Environ())
	}
	box, err := sandbox.Open(context.Background(), sandbox.Auto, o)
	if err != nil {
		return err
	}
	defer box.Close()
	fmt.Print(box.Level())
	if box.Level() != o.Level {
		fmt.Print(" ", box.Missing())
	}
	return nil
}

func allowOnly(numbers []string) error {
	const load, equal, ret = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, unix.BPF_RET | unix.BPF_K
	program := []unix.SockFilter{{Code: load}} // the number of the system call
	for _, text := range numbers {
		number, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return err
		}
		program = append(program, unix.SockFilter{Code: equal, Jf: 1, K: uint32(number)}, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ALLOW})
	}
	program = append(program, unix.SockFilter{Code: ret, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&f)), 0, 0)
}
