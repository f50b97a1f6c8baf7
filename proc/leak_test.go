//go:build linux

package proc_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord/proc"
)

var runs = flag.Int("runs", 150, "runs after which nothing may have been left, in each way to hold them")

// belongings counts everything that a run could leave behind.
func belongings(t *testing.T, dir string) string {
	t.Helper()
	fds, _ := os.ReadDir("/proc/self/fd")
	files, _ := os.ReadDir(dir)
	cgroups := cgroupsOf(os.Getpid())
	children := 0
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		list, _ := os.ReadFile("/proc/self/task/" + thread.Name() + "/children")
		children += len(strings.Fields(string(list)))
	}
	return fmt.Sprintf("%d goroutines, %d descriptors, %d files in the ledger, %d cgroups, %d children",
		runtime.NumGoroutine(), len(fds), len(files), len(cgroups), children)
}

// cgroupsOf returns the cgroups that the keepers of a process have created, of
// both versions.
func cgroupsOf(keeper int) []string {
	var all []string
	for dir := "/sys/fs/cgroup"; strings.Count(dir, "*") < 5; dir += "/*" {
		found, _ := filepath.Glob(fmt.Sprintf("%s/bellcord-%d-*", dir, keeper))
		all = append(all, found...)
	}
	return all
}

// This test runs in another process, so that no other test changes the counts.
func TestRun_ManyRuns_LeakNothing(t *testing.T) {
	t.Parallel()
	if os.Getenv("PROC_TEST_LEAKS") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRun_ManyRuns_LeakNothing$", fmt.Sprintf("-runs=%d", *runs))
		cmd.Env = append(os.Environ(), "PROC_TEST_LEAKS=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	for _, way := range ways {
		dir := t.TempDir()
		k, err := proc.Open(dir, way.opts)
		if err != nil {
			t.Fatal(err)
		}
		run(t, k, 0)
		before := belongings(t, dir)
		for i := range *runs {
			run(t, k, i)
		}
		within(t, 5*time.Second, func() bool { return belongings(t, dir) == before })
		if after := belongings(t, dir); after != before {
			t.Errorf("%s: %s, before %s", way.name, after, before)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}
}

// run runs or stops one of six commands: some succeed, some fail, some leave
// orphans behind.
func run(t *testing.T, k *proc.Keeper, i int) {
	t.Helper()
	token := token()
	scripts := []string{"true", "(setsid true &); exit 3", "(env -i setsid sleep TOKEN &); true", "sleep TOKEN & sleep TOKEN"}
	switch i % 6 {
	case 4:
		_, err := k.Run(t.Context(), proc.Command{Args: []string{"/no/such/program"}}, nil)
		if err == nil {
			t.Error("it started")
		}
	case 5:
		r, err := k.Start(proc.Command{Args: []string{"/bin/sh", "-c", "(sleep 0.01 &) ; exec sleep " + token}, Limits: proc.Limits{Memory: 64 << 20, Processes: 64, CPU: 1, Disk: "/"}})
		if err != nil {
			t.Error(err)
			return
		}
		r.End(nil)
		_ = r.Stdout.Close()
	default:
		stopAt(t, k, scripts[i%6], 15*time.Millisecond)
	}
}

func within(t *testing.T, most time.Duration, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for bound := time.Now().Add(most); !holds() && time.Now().Before(bound); {
		<-tick.C
	}
}

// A server may run for days and double-fork all the time: its orphans are
// reaped while it runs.
func TestStart_OrphanExits_IsReapedWhileCommandRuns(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			k := keeper(t, way.opts)
			out := make(chan string, 10)
			r, err := k.Start(proc.Command{
				Args:   []string{"/bin/sh", "-c", "(env -i setsid sh -c 'echo $$ >&2' &) ; exec sleep 100"},
				Output: func(data []byte) { out <- strings.TrimSpace(string(data)) },
			})
			if err != nil {
				t.Fatal(err)
			}
			pid := <-out
			eventually(t, func() bool {
				_, err := os.Stat("/proc/" + pid)
				return os.IsNotExist(err)
			})
			r.End(nil)
			closeOut(t, r)
		})
	}
}
