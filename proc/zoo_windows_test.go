package proc_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bellcord/bellcord/proc"
)

var stops = flag.Int("stops", 2, "stops of each animal of the zoo")

// hostTable is the process table of the system that runs Wine. Wine shows it as
// a directory of drive Z.
const hostTable = `Z:\proc`

// animals are commands; SELF is this binary, which behaves as animals_windows_test.go
// describes.
var animals = []struct {
	name, script string
	settled      int // processes with the token, once the animal is ready; 0: it is never settled
}{
	{"a program", `SELF animal sleeper TOKEN`, 2}, // and cmd
	{"a program in the path", `sleeper TOKEN`, 2}, // tools/wine/sleeper.c
	{"start /b beside another", `start /b SELF animal sleeper TOKEN & SELF animal sleeper TOKEN`, 0},
	{"start /b and nothing else", `start /b SELF animal sleeper TOKEN`, 0},
	{"cmd below cmd", `cmd /c "cmd /c "SELF animal sleeper TOKEN""`, 4},
	{"a loop of cmd", `for /l %i in (1,1,100000) do @SELF animal none TOKEN`, 0},
	{"a program that detaches another", `SELF animal detaches TOKEN`, 3},
	{"a program that leaves another", `SELF animal leaves TOKEN`, 0},
	{"a grandparent", `SELF animal grandparent TOKEN`, 0},
	{"a suspended child", `SELF animal suspends TOKEN`, 3},
	{"a child that may not break away", `SELF animal breaks_away TOKEN`, 3},
	{"a job in the job", `SELF animal nests TOKEN`, 3},
	{"a relay", `SELF animal relay TOKEN`, 0},
	{"a litter", `SELF animal litter TOKEN`, 6},
}

var (
	tokens     atomic.Int64
	firstToken = 1_000_000_000 + rand.Int64N(10_000)*100_000
)

// token returns a number that identifies the processes of one command. It is random,
// because Wine gives the same pids to the programs of each prefix.
func token() string { return strconv.FormatInt(firstToken+tokens.Add(1), 10) }

// audit returns the host's pids and command lines of the processes with the
// token. It uses neither package proc nor Wine's list of processes.
func audit(t *testing.T, token string) map[int]string {
	t.Helper()
	dirs, err := os.ReadDir(hostTable)
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]string{}
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(hostTable, d.Name(), "cmdline")) // empty for a zombie
		if bytes.Contains(line, []byte(token)) {
			found[pid] = string(bytes.ReplaceAll(line, []byte{0}, []byte(" ")))
		}
	}
	return found
}

// gone waits until the host shows no process with the token. Wine reports the end
// of a process before its host process has exited, so the first audits can show
// it. It returns those that are left after the limit.
func gone(t *testing.T, token string) map[int]string {
	t.Helper()
	var left map[int]string
	for began := time.Now(); time.Since(began) < 20*time.Second; wait(50 * time.Millisecond) {
		if left = audit(t, token); len(left) == 0 {
			return nil
		}
	}
	for pid, line := range left {
		if neverStarted(pid) {
			t.Logf("Wine left a host process that never started its program: %d %s", pid, line)
			delete(left, pid)
		}
	}
	return left
}

// neverStarted reports whether a host process is one that Wine has created for a
// program, and that has loaded no part of Windows. If a job is ended while Wine 8
// creates a process in it, Wine's server drops the process, and the host process
// waits without end for the reply to its first request: it holds the other end of
// the pipe itself.
func neverStarted(pid int) bool {
	maps, err := os.ReadFile(filepath.Join(hostTable, strconv.Itoa(pid), "maps"))
	return err == nil && bytes.Contains(maps, []byte("ntdll.so")) && !bytes.Contains(maps, []byte("ntdll.dll"))
}

func underWine(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(hostTable, "self")); err != nil {
		t.Skip("no process table of a host that runs Wine: make wine runs this")
	}
}

func keeper(t *testing.T, grace time.Duration) *proc.Keeper {
	t.Helper()
	k, err := proc.Open(t.TempDir(), proc.Options{Grace: grace})
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

func shell(script, token string) []string {
	script = strings.ReplaceAll(script, "SELF", os.Args[0])
	return []string{"cmd", "/c", strings.ReplaceAll(script, "TOKEN", token)}
}

func TestLaw15_StopOfAnyWindowsProgram_LeavesNoProcess(t *testing.T) {
	underWine(t)
	var stopped, survivors atomic.Int64
	t.Cleanup(func() {
		t.Logf("stops: %d, survivors in the host's process table: %d", stopped.Load(), survivors.Load())
	})
	for _, a := range animals {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			k := keeper(t, 200*time.Millisecond)
			for range *stops {
				token := token()
				ctx, done := context.WithTimeout(context.Background(), time.Duration(rand.IntN(1500))*time.Millisecond+time.Millisecond)
				exit, err := k.Run(ctx, proc.Command{Args: shell(a.script, token), Owner: "zoo"}, nil)
				done()
				if err != nil && !errors.Is(err, context.DeadlineExceeded) { // stopped before it started
					t.Fatal(err)
				}
				stopped.Add(1)
				if left := gone(t, token); len(left) > 0 || len(exit.Survivors) > 0 {
					survivors.Add(int64(len(left)))
					t.Errorf("the host shows %v, the report names the survivors %v", left, exit.Survivors)
				}
			}
		})
	}
}

// The animal is complete before the stop, so the report must name the processes
// that the host shows.
func TestLaw15_StopOfSettledProgram_ReportEqualsTheHostsTable(t *testing.T) {
	underWine(t)
	for _, a := range animals {
		if a.settled == 0 {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			k := keeper(t, 200*time.Millisecond)
			token := token()
			r, err := k.Start(proc.Command{Args: shell(a.script, token), Owner: "zoo"})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Stdout.Close() }()
			var before map[int]string
			for began := time.Now(); len(before) != a.settled && time.Since(began) < 3*time.Minute; wait(100 * time.Millisecond) {
				before = audit(t, token)
			}
			report := r.End(nil)
			if left := gone(t, token); len(left) > 0 || len(report.Survivors) > 0 {
				t.Errorf("the host shows %v, the report names the survivors %v", left, report.Survivors)
			}
			if got, want := programs(report.Ended), hostPrograms(before); !slices.Equal(got, want) || len(before) != a.settled || report.Proof != "job_object" {
				t.Errorf("the report names %v with the proof %s, the host showed %v: %v", got, report.Proof, want, before)
			}
		})
	}
}

// programs returns the sorted names of the programs that a report names. The first is
// the command itself, under its whole line. Wine starts conhost for consoles; its
// command line has no token.
func programs(ended []proc.Ended) []string {
	all := []string{"cmd.exe"}
	for _, e := range ended[1:] {
		if name := strings.ToLower(filepath.Base(e.Name)); name != "conhost.exe" {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

func hostPrograms(table map[int]string) []string {
	var all []string
	for _, line := range table {
		name := strings.ToLower(filepath.Base(strings.Fields(line)[0]))
		if filepath.Ext(name) != ".exe" {
			name += ".exe"
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func TestRun_ScriptWithQuotes_ReachesCmdUnchanged(t *testing.T) {
	t.Parallel()
	k := keeper(t, time.Second)
	for script, want := range map[string]string{
		`echo "a b" c`:               `"a b" c`,
		`echo one & echo "two"`:      "one \r\n\"two\"",
		`if "a"=="a" (echo x^&y)`:    `x&y`,
		`exit 7`:                     "",
		`cmd /c "echo "nested" end"`: `"nested" end`,
	} {
		var out strings.Builder
		exit, err := k.Run(t.Context(), proc.Command{Args: []string{"cmd", "/c", script}, Output: func(data []byte) { out.Write(data) }}, nil)
		if err != nil || strings.TrimSpace(out.String()) != want {
			t.Errorf("%s printed %q, want %q (%v)", script, out.String(), want, err)
		}
		if script == "exit 7" && exit.Code != 7 {
			t.Errorf("exit code %d, want 7", exit.Code)
		}
	}
}

// A keeper that is killed cannot end its processes: the system closes its job.
func TestLaw15_KeeperIsKilled_SystemEndsItsProcesses(t *testing.T) {
	underWine(t)
	t.Parallel()
	k := keeper(t, 200*time.Millisecond)
	token := token()
	r, err := k.Start(proc.Command{Args: []string{os.Args[0], "animal", "keeps", token}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Stdout.Close() }()
	for began := time.Now(); len(audit(t, token)) < 3 && time.Since(began) < 3*time.Minute; wait(100 * time.Millisecond) {
	}
	if n := len(audit(t, token)); n != 3 { // the keeper, its cmd and the sleeper
		t.Fatalf("%d processes, want 3", n)
	}
	child, err := os.FindProcess(r.PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Kill(); err != nil {
		t.Fatal(err)
	}
	if left := gone(t, token); len(left) > 0 {
		t.Errorf("the host shows %v", left)
	}
}
