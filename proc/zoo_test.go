//go:build linux

package proc_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellcord/bellcord/proc"
)

var stops = flag.Int("stops", 2, "stops of each animal of the zoo, in each way to hold it")

// animal is one of the badly behaved commands in testdata/zoo.txt.
type animal struct {
	name, script string
	obeys        bool
}

func animals(t *testing.T) []animal {
	t.Helper()
	text, err := os.ReadFile("testdata/zoo.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []animal
	for _, block := range strings.Split(string(text), "\n== ")[1:] {
		head, script, _ := strings.Cut(block, "\n")
		name, _, obeys := strings.Cut(head, " | obeys")
		all = append(all, animal{name, strings.TrimSpace(script), obeys})
	}
	return all
}

var tokens atomic.Int64

// token returns a unique number of seconds to sleep, which identifies the
// processes of one test.
func token() string {
	return fmt.Sprintf("98765.%d%06d", os.Getpid(), tokens.Add(1))
}

// audit returns the processes with the token in their command line. It uses no
// code of package proc.
func audit(t *testing.T, token string) []int {
	t.Helper()
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, d := range dirs {
		line, _ := os.ReadFile("/proc/" + d.Name() + "/cmdline") // empty for a zombie
		if pid, err := strconv.Atoi(d.Name()); err == nil && pid != os.Getpid() && bytes.Contains(line, []byte(token)) {
			found = append(found, pid)
		}
	}
	return found
}

// ways are the two ways to contain a process.
var ways = []struct {
	name string
	opts proc.Options
}{
	{"in a cgroup", proc.Options{}},
	{"without a cgroup", proc.Options{NoCgroup: true}},
}

func keeper(t *testing.T, opts proc.Options) *proc.Keeper {
	t.Helper()
	k, err := proc.Open("", opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// stopAt runs a script, stops it after a while, and compares the report with
// the audit.
func stopAt(t *testing.T, k *proc.Keeper, script string, after time.Duration) proc.Exit {
	t.Helper()
	token := token()
	ctx, done := context.WithTimeout(context.Background(), after)
	defer done()
	exit, err := k.Run(ctx, proc.Command{Args: []string{"/bin/sh", "-c", strings.ReplaceAll(script, "TOKEN", token)}, Owner: "zoo"}, nil)
	found := audit(t, token)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) { // stopped before it started
		t.Error(err)
	}
	var named []int
	for _, s := range exit.Survivors {
		named = append(named, s.PID)
	}
	slices.Sort(named)
	slices.Sort(found)
	if len(found) > 0 || !slices.Equal(named, found) {
		t.Errorf("survivors %v, the report says %v", found, exit.Survivors)
	}
	return exit
}

func TestLaw15_StopOfAnyAnimal_LeavesNoProcess(t *testing.T) {
	for _, way := range ways {
		for _, a := range animals(t) {
			t.Run(way.name+"/"+a.name, func(t *testing.T) {
				t.Parallel()
				opts := way.opts
				opts.Grace = time.Minute // not used up by an animal that obeys
				if !a.obeys {
					opts.Grace = 300 * time.Millisecond // used up each time
				}
				k := keeper(t, opts)
				var took []time.Duration
				for range *stops {
					exit := stopAt(t, k, a.script, time.Duration(rand.IntN(100))*time.Millisecond+time.Millisecond)
					took = append(took, exit.Took)
				}
				slices.Sort(took)
				if last := took[len(took)-1]; last > 20*time.Second {
					t.Errorf("took %v", last)
				}
			})
		}
	}
}

// Orphans go to another process in a program that does not adopt them.
func TestLaw15_StopOfAnyAnimal_OrphansAreNotAdopted_LeavesNoProcess(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run", "^TestLaw15_StopOfAnyAnimal_LeavesNoProcess$", "-stops", "1")
	cmd.Env = append(os.Environ(), "PROC_TEST_NO_ADOPTION=1")
	out, err := cmd.CombinedOutput()
	if n := strings.Count(string(out), "--- PASS"); err != nil || n < len(ways)*len(animals(t)) {
		t.Errorf("%v, %d passed\n%s", err, n, out)
	}
}

// One keeper runs many commands concurrently, each a mix of several animals. No
// process is taken for one of another command, and none is left.
func TestLaw15_StopOfMixedAnimals_LeavesNoProcess(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			k := keeper(t, proc.Options{NoCgroup: way.opts.NoCgroup, Grace: 300 * time.Millisecond})
			zoo := animals(t)
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					for range *stops {
						var script strings.Builder
						for range 1 + rand.IntN(4) {
							fmt.Fprintf(&script, "(%s) &\n", zoo[rand.IntN(len(zoo))].script)
						}
						script.WriteString("wait")
						stopAt(t, k, script.String(), time.Duration(rand.IntN(150))*time.Millisecond+time.Millisecond)
					}
				})
			}
			all.Wait()
		})
	}
}

// Ending one command does not affect the processes of another, even those that
// have lost most of their marks.
func TestRun_OneCommandEnds_OthersKeepTheirProcesses(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			k := keeper(t, way.opts)
			otherToken := token()
			other, err := k.Start(proc.Command{Args: []string{"/bin/sh", "-c", "(env -i setsid sleep " + otherToken + " &) ; exec sleep " + otherToken}})
			if err != nil {
				t.Fatal(err)
			}
			eventually(t, func() bool { return len(audit(t, otherToken)) == 2 })
			for range 5 {
				stopAt(t, k, "(env -i setsid sleep TOKEN &) ; exec sleep TOKEN", 30*time.Millisecond)
			}
			if left := audit(t, otherToken); len(left) != 2 {
				t.Errorf("%d of 2 processes of the other are left", len(left))
			}
			report := other.End(nil)
			if left := audit(t, otherToken); len(left) != 0 || len(report.Ended) != 2 {
				t.Errorf("%d left, %+v", len(left), report)
			}
			closeOut(t, other)
		})
	}
}
