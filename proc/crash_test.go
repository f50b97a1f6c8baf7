//go:build linux

package proc_test

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bellcord/bellcord/proc"
)

var kills = flag.Int("kills", 5, "kills of a keeper, in each way to hold its processes")

// TestMain also runs the helper processes: a keeper that gets killed, a
// server that checks its peers, or one that creates a PID namespace.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PROC_TEST_LEDGER"); dir != "" {
		keepUntilKilled(dir, os.Getenv("PROC_TEST_NO_CGROUP") != "", strings.Split(os.Getenv("PROC_TEST_SCRIPTS"), "\x1f"))
		return
	}
	if dir := os.Getenv("PROC_TEST_CHECK"); dir != "" {
		checkPeers(dir)
		return
	}
	if script := os.Getenv("PROC_TEST_SPACE"); script != "" {
		runInSpace(script)
		return
	}
	if os.Getenv("PROC_TEST_NO_ADOPTION") == "" { // as Bellcord's programs; it is for the whole process
		if _, err := proc.Open("", proc.Options{AdoptOrphans: true}); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// keepUntilKilled runs scripts, prints "ready", and exits at the end of its
// input, so that it does not outlive its test.
func keepUntilKilled(dir string, noCgroup bool, scripts []string) {
	k, err := proc.Open(dir, proc.Options{NoCgroup: noCgroup, AdoptOrphans: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, script := range scripts {
		c := proc.Command{Args: []string{"/bin/sh", "-c", script}, Owner: "turn-1"}
		if os.Getenv("PROC_TEST_LIMITS") != "" {
			c.Limits = proc.Limits{Memory: 64 << 20, Processes: 64, CPU: 1}
		}
		if _, err := k.Start(c); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	_ = k.Close()
}

// killedKeeper runs scripts in a keeper in another process, and kills that
// process. It returns the pid.
func killedKeeper(t *testing.T, dir string, noCgroup bool, scripts []string, env ...string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_TEST_LEDGER="+dir, "PROC_TEST_SCRIPTS="+strings.Join(scripts, "\x1f"))
	cmd.Env = append(cmd.Env, env...)
	if noCgroup {
		cmd.Env = append(cmd.Env, "PROC_TEST_NO_CGROUP=1")
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Errorf("the keeper says %q, %v", line, err)
	}
	wait := time.NewTimer(time.Duration(rand.IntN(100)) * time.Millisecond)
	<-wait.C
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return cmd.Process.Pid
}

func TestLaw15_KeeperIsKilled_NextOpenEndsItsProcesses(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			zoo := animals(t)
			for range *kills {
				dir := t.TempDir()
				token := token()
				var scripts []string
				for range 3 {
					scripts = append(scripts, strings.ReplaceAll(zoo[rand.IntN(len(zoo))].script, "TOKEN", token))
				}
				// Always include one process that has lost every mark except
				// its stamp.
				scripts = append(scripts, "(env -i setsid sleep "+token+" &) ; exec sleep "+token)
				killedKeeper(t, dir, way.opts.NoCgroup, scripts)
				left := audit(t, token)
				k, err := proc.Open(dir, proc.Options{Grace: 300 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				if found := audit(t, token); len(found) > 0 || len(left) == 0 || len(k.Reaped()) == 0 {
					t.Errorf("%d were left, %d reaped, %d survive of %q", len(left), len(k.Reaped()), len(found), scripts)
				}
				for _, e := range k.Reaped() {
					if e.Owner != "turn-1" {
						t.Errorf("%+v", e)
					}
				}
				if err := k.Close(); err != nil {
					t.Error(err)
				}
				if files, _ := os.ReadDir(dir); len(files) != 0 {
					t.Errorf("the ledger still has %v", files)
				}
			}
		})
	}
}

func TestOpen_ConcurrentKeepersShareLedger_ReapDeadKeeperOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "when missing")
	token := token()
	first := open(t, dir, proc.Options{})
	r, err := first.Start(proc.Command{Args: []string{"sleep", token}})
	if err != nil {
		t.Fatal(err)
	}
	killedKeeper(t, dir, false, []string{"exec sleep " + token + "1"})
	var all sync.WaitGroup
	reaped := make([]int, 10)
	for i := range reaped {
		all.Go(func() {
			k, err := proc.Open(dir, proc.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			reaped[i] = len(k.Reaped())
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	sum := 0
	for _, n := range reaped {
		sum += n
	}
	if left := audit(t, token); sum != 1 || len(left) != 1 || left[0] != r.PID {
		t.Errorf("%d reaped, %v left", sum, left)
	}
	closeOut(t, r)
}

func TestOpen_EntriesOfAnotherBoot_AreRemovedWithoutSignals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bystander := exec.Command("sleep", "100")
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bystander.Process.Kill(); _ = bystander.Wait() }()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", bystander.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	start := strings.Fields(string(stat))[21]
	bootID, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	entry := func(name, start, place string) {
		text := fmt.Sprintf(`{"pid":%d,"start":%s,"marker":"0123456789ab","place":%q,"cgroup":"/sys/fs/cgroup"}`, bystander.Process.Pid, start, place)
		if err := os.WriteFile(filepath.Join(dir, "dead-"+name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "dead.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	entry("another-boot", start, "another boot")
	entry("another-process-of-that-number", "1", strings.TrimSpace(string(bootID))+" "+space)
	k := open(t, dir, proc.Options{})
	if len(k.Reaped()) != 0 || !alive(bystander.Process.Pid) {
		t.Errorf("%+v, the bystander lives: %v", k.Reaped(), alive(bystander.Process.Pid))
	}
	if files, _ := os.ReadDir(dir); len(files) != 1 {
		t.Errorf("%v", files)
	}
}
