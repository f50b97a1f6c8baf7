package proc_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord/proc"
)

// bomb starts processes that start processes. Without a limit there would be
// about 250 of them. Its leader needs no second fork.
const bomb = "b() { if [ $1 = 0 ]; then exec sleep TOKEN; fi; b $(($1-1)) & b $(($1-1)) & wait; }; b 7 & exec sleep TOKEN"

// needsGroups skips a test where this process cannot create limited cgroups. CI
// runs as root, which can.
func needsGroups(t *testing.T) {
	t.Helper()
	if by := proc.LimitsBy(); by == "rlimit" {
		if os.Getenv("CI") != "" {
			t.Fatal("limits are enforced by", by)
		}
		t.Skip("limits are enforced by", by)
	}
}

// expectNothing fails the test if processes of a command are left.
func expectNothing(t *testing.T, exit proc.Exit, token string) {
	t.Helper()
	if left := audit(t, token); len(left) > 0 || len(exit.Survivors) > 0 {
		t.Errorf("%v are alive, survivors %v", left, exit.Survivors)
	}
}

func TestLimits_ForkBomb_StaysBelowLimitAndEnds(t *testing.T) {
	t.Parallel()
	needsGroups(t)
	dir, token := t.TempDir(), token()
	k := open(t, dir, proc.Options{})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	most := 0
	exit, out := sh(t, ctx, k, strings.ReplaceAll(bomb, "TOKEN", token), proc.Command{
		Limits: proc.Limits{Processes: 64},
		Output: func(data []byte) {
			if strings.Contains(string(data), "fork") { // it has reached the limit
				most = max(most, len(audit(t, token)))
				stop()
			}
		},
	})
	expectNothing(t, exit, token)
	if exit.Limit != "processes" || exit.LimitsBy != proc.LimitsBy() || most == 0 || most > 64 {
		t.Errorf("limit %q by %q, up to %d processes: %.300q", exit.Limit, exit.LimitsBy, most, out)
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 { // the lock
		t.Errorf("the ledger has %v", files)
	}
}

func TestLimits_MemoryBomb_IsKilledAndReported(t *testing.T) {
	t.Parallel()
	needsGroups(t)
	exit, out := sh(t, t.Context(), open(t, "", proc.Options{}), "tail /dev/zero; echo code $?", proc.Command{Limits: proc.Limits{Memory: 64 << 20, Processes: 64}})
	if exit.Limit != "memory" || exit.LimitsBy != proc.LimitsBy() || !strings.Contains(out, "code 137") {
		t.Errorf("limit %q by %q: %q", exit.Limit, exit.LimitsBy, out)
	}
}

func TestLimits_NotReached_AreNotReported(t *testing.T) {
	t.Parallel()
	limits := proc.Limits{Memory: 256 << 20, Processes: 64, CPU: 2, Disk: "/"}
	exit, out := sh(t, t.Context(), open(t, "", proc.Options{}), "echo a | cat", proc.Command{Limits: limits})
	if exit.Limit != "" || exit.LimitsBy != proc.LimitsBy() || out != "a\n" || exit.Code != 0 {
		t.Errorf("%+v: %q", exit, out)
	}
	exit, _ = sh(t, t.Context(), open(t, "", proc.Options{}), "true", proc.Command{})
	if exit.Limit != "" || exit.LimitsBy != "" {
		t.Errorf("without limits: %q by %q", exit.Limit, exit.LimitsBy)
	}
}

// groupOf returns the directory of a process's group in which one of the files
// exists.
func groupOf(t *testing.T, pid int, files ...string) string {
	t.Helper()
	own, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(own), "\n") {
		f := strings.SplitN(line, ":", 3)
		for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/" + f[min(1, len(f)-1)]} {
			dir := filepath.Join(root, f[len(f)-1])
			for _, file := range files {
				if _, err := os.Stat(filepath.Join(dir, file)); err == nil && strings.HasPrefix(filepath.Base(dir), "bellcord-") {
					return dir
				}
			}
		}
	}
	t.Fatalf("process %d has no group with %v: %s", pid, files, own)
	return ""
}

func TestLimits_CPU_ThrottlesBusyCommand(t *testing.T) {
	t.Parallel()
	needsGroups(t)
	k := open(t, "", proc.Options{})
	r, err := k.Start(proc.Command{Args: []string{"/bin/sh", "-c", "while :; do :; done"}, Limits: proc.Limits{CPU: 0.1}})
	if err != nil {
		t.Fatal(err)
	}
	stat := filepath.Join(groupOf(t, r.PID, "cpu.max", "cpu.cfs_quota_us"), "cpu.stat")
	eventually(t, func() bool {
		text, err := os.ReadFile(stat)
		_, after, found := strings.Cut(string(text), "nr_throttled ")
		return err == nil && found && !strings.HasPrefix(after, "0\n")
	})
	r.End(nil)
	closeOut(t, r)
	if _, err := os.Stat(stat); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the group is left: %v", err)
	}
}

// A program with the setuid bit cannot be held before its first instruction.
func TestLimits_ProgramCannotBeHeld_IsLimited(t *testing.T) {
	t.Parallel()
	needsGroups(t)
	program := filepath.Join(t.TempDir(), "sh")
	if out, err := exec.CommandContext(t.Context(), "cp", "/bin/sh", program).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Chmod(program, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	token := token()
	k := open(t, "", proc.Options{})
	r, err := k.Start(proc.Command{Args: []string{program, "-c", "sleep " + token + " & exec sleep " + token}, Limits: proc.Limits{Processes: 64}})
	if err != nil {
		t.Fatal(err)
	}
	groupOf(t, r.PID, "pids.max")
	eventually(t, func() bool { return len(audit(t, token)) == 2 })
	for _, pid := range audit(t, token) {
		groupOf(t, pid, "pids.max")
	}
	r.End(nil)
	closeOut(t, r)
}

func TestLimits_DiskIsAlmostFull_EndsCommand(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a file system")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	token := token()
	script := "while head -c 1048576 /dev/zero >>fill; do sleep 0.01; done; exec sleep " + token // the last one after ENOSPC
	exit, out := sh(t, t.Context(), open(t, "", proc.Options{}), script, proc.Command{Dir: dir, Limits: proc.Limits{Disk: dir}})
	expectNothing(t, exit, token)
	if exit.Limit != "disk" || exit.LimitsBy != "" || exit.How != proc.Terminated {
		t.Errorf("%+v: %q", exit, out)
	}
}

func TestLimits_KeeperIsKilled_NextOpenRemovesItsGroups(t *testing.T) {
	t.Parallel()
	needsGroups(t)
	dir, token := t.TempDir(), token()
	keeper := killedKeeper(t, dir, false, []string{"exec sleep " + token}, "PROC_TEST_LIMITS=1")
	if left := cgroupsOf(keeper); len(left) == 0 {
		t.Fatal("the keeper left no group")
	}
	open(t, dir, proc.Options{})
	if left := cgroupsOf(keeper); len(left) > 0 || len(audit(t, token)) > 0 {
		t.Errorf("groups %v and processes %v are left", left, audit(t, token))
	}
}

// asUser runs the test again in a process without root's rights, as a user that
// has no other process.
func asUser(t *testing.T, id uint32) {
	t.Helper()
	dir, err := os.MkdirTemp("", "user-*") // t.TempDir has a parent that others cannot enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	program := filepath.Join(dir, "test")
	// Another process makes the copy: a child that another test starts at the
	// same time could inherit the file open for writing.
	if out, err := exec.CommandContext(t.Context(), "cp", os.Args[0], program).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := errors.Join(os.Chmod(program, 0o755), os.Chown(dir, int(id), int(id))); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.run", "^"+t.Name()+"$")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()+" ") {
		t.Errorf("as user %d: %v\n%s", id, err, out)
	}
}

func TestLimits_UnprivilegedUser_AreResourceLimits(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		asUser(t, 64_322)
		return
	}
	k := open(t, "", proc.Options{NoCgroup: true})
	exit, out := sh(t, t.Context(), k, "tail /dev/zero; echo code $?", proc.Command{Limits: proc.Limits{Memory: 64 << 20}})
	if exit.LimitsBy != "rlimit" || exit.Limit != "" || !strings.Contains(out, "code 1\n") {
		t.Errorf("limit %q by %q: %q", exit.Limit, exit.LimitsBy, out)
	}
	token := token()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	most := 0
	exit, _ = sh(t, ctx, k, strings.ReplaceAll(bomb, "TOKEN", token), proc.Command{
		Limits: proc.Limits{Processes: 64},
		Output: func(data []byte) {
			if strings.Contains(string(data), "fork") {
				most = max(most, len(audit(t, token)))
				stop()
			}
		},
	})
	expectNothing(t, exit, token)
	if exit.LimitsBy != "rlimit" || most == 0 || most > 64 {
		t.Errorf("by %q, up to %d processes", exit.LimitsBy, most)
	}
}

func TestRun_Files_ArePassedAsDescriptors(t *testing.T) {
	t.Parallel()
	var files []*os.File
	for _, text := range []string{"three", "four"} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		files = append(files, f)
	}
	_, out := sh(t, t.Context(), open(t, "", proc.Options{}), "cat <&4; cat <&3", proc.Command{Files: files})
	if out != "fourthree" {
		t.Errorf("%q", out)
	}
	if _, err := files[0].Seek(0, io.SeekStart); err != nil {
		t.Errorf("the caller's file: %v", err)
	}
}
