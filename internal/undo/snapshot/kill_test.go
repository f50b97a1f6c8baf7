//go:build linux

package snapshot_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

var kills = flag.Int("kills", 3, "kills for each point of TestOpen_ProcessKilledAnywhere; 110 is the full run")

// points are the names at which the child can be killed. The points with "call" and
// "file" are in the child itself; at any time means after a random time.
var points = []string{
	"scan", "hash", "pack written", "pack synced", "log half written", "log written", "log synced",
	"before opened", "call opened", "file written", "files written", "before ended", "call ended",
	"turns dropped", "bytes moved", "before segment removed", "base before", "base replaced", "collected", anyTime,
}

const anyTime = "any time"

func TestMain(m *testing.M) {
	switch os.Getenv("SNAPSHOT_CHILD") {
	case "script":
		child()
	case "commands":
		commands()
	default:
		flag.Parse()
		os.Exit(m.Run())
	}
}

// small limits make a few files fill several segments.
var small = snapshot.Limits{Segment: 4 << 10, File: 2 << 10, Bytes: 256 << 10, Turns: 1, Age: 1}

// step changes some files. It is the work of a call: it depends on the number of
// the step only.
func step(root string, n int, at func(point string)) error {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	text := func() []byte { return bytes.Repeat([]byte{byte('a' + r.IntN(26)), byte(n)}, 1+r.IntN(900)) }
	for range 6 {
		dir := filepath.Join(root, fmt.Sprint("d", r.IntN(4)))
		if r.IntN(5) == 0 {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("f", r.IntN(5))), text(), 0o644); err != nil {
			return err
		}
		at("file written")
	}
	return nil
}

const steps = 6

// child runs calls and prints a line after each operation that returned. It ends
// itself with SIGKILL at the given visit of a point. At the end, it prints how often
// it reached each point.
func child() {
	place, root, point := os.Args[1], os.Args[2], os.Args[3]
	last := 0
	_, _ = fmt.Sscan(os.Args[4], &last)
	var mu sync.Mutex
	visits := map[string]int{}
	at := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		if visits[name]++; name == point && visits[name] == last {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
	}
	snapshot.SetHook(at)
	check := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	w, err := snapshot.Open(place, root, small)
	check(err)
	for n := range steps {
		id := fmt.Sprint(n)
		_, err := w.Begin(ctx, snapshot.Call{ID: id, Turn: id, Session: "s"}, snapshot.Whole)
		check(err)
		fmt.Println("opened", n)
		at("call opened")
		check(step(root, n, at))
		at("files written")
		_, err = w.End(ctx, id, snapshot.Whole)
		check(err)
		fmt.Println("ended", n)
		at("call ended")
		if n%2 == 1 {
			_, err = w.Collect(ctx)
			check(err)
			at("collected")
		}
	}
	check(w.Close())
	for _, name := range points {
		fmt.Printf("%s: %d\n", name, visits[name])
	}
	fmt.Println("complete")
	os.Exit(0)
}

// killed runs the child until it is killed at a visit of a point, or after a time,
// and returns the lines that it printed.
func killed(t *testing.T, place, root, point string, visit int, after time.Duration) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0], place, root, point, fmt.Sprint(visit))
	cmd.Env = append(os.Environ(), "SNAPSHOT_CHILD=script")
	var out bytes.Buffer
	cmd.Stdout = &out
	must(t, cmd.Start())
	if point == anyTime {
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	byKill := errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL
	if err != nil && !byKill {
		t.Fatalf("the child failed: %v\n%s", err, &out)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

// visitsOf runs a child that is not killed. It returns how often it reached each
// point, and how long it took.
func visitsOf(t *testing.T) (map[string]int, time.Duration) {
	t.Helper()
	start := time.Now()
	lines := killed(t, t.TempDir(), t.TempDir(), "none", 0, 0)
	took := time.Since(start)
	visits := map[string]int{}
	for _, line := range lines {
		if name, n, ok := strings.Cut(line, ": "); ok {
			number, err := strconv.Atoi(n)
			must(t, err)
			visits[name] = number
		}
	}
	return visits, took
}

// The process is killed at each point, at a random visit. U1 and U3: the next
// process returns the exact changes of the call that was open, the bytes of every
// file before the call are kept, and no stray file is left.
func TestLawU1AndU3_ProcessKilledAnywhere_ReturnsTheExactChangesOfTheOpenCall(t *testing.T) {
	t.Parallel()
	visits, took := visitsOf(t)
	var ended, open, complete atomic.Int64
	t.Run("points", func(t *testing.T) { // ends when all points have ended
		for _, point := range points {
			t.Run(point, func(t *testing.T) {
				t.Parallel()
				if visits[point] == 0 && point != anyTime {
					t.Fatal("the point was not reached")
				}
				for range *kills {
					place, root := t.TempDir(), t.TempDir()
					visit, after := 1+rand.IntN(max(visits[point], 1)), rand.N(took)
					lines := killed(t, place, root, point, visit, after)
					if slices.Contains(lines, "complete") {
						complete.Add(1)
						continue
					}
					ended.Add(1)
					if verify(t, place, root, fmt.Sprintf("%s, visit %d, %v", point, visit, after), lines) {
						open.Add(1)
					}
					_ = os.RemoveAll(place)
					_ = os.RemoveAll(root)
				}
			})
		}
	})
	if complete.Load() > ended.Load()/5+1 {
		t.Errorf("%d children were not killed", complete.Load())
	}
	if !t.Failed() {
		t.Logf("%d processes killed at %d points, %d with an open call: all changes and bytes exact, no file left; %d ended before the kill",
			ended.Load(), len(points), open.Load(), complete.Load())
	}
}

// verify opens the workspace after the kill and compares everything with
// copies, which it makes by doing the same steps in another directory. It reports
// whether a call was open.
func verify(t *testing.T, place, root, label string, lines []string) (wasOpen bool) {
	t.Helper()
	opened := -1
	for n := range steps {
		if slices.Contains(lines, fmt.Sprint("opened ", n)) {
			opened = n
		}
	}
	w := open(t, place, root, small)
	defer func() { _ = w.Close() }()
	noStrays(t, w, label)
	found, err := w.Found(ctx)
	must(t, err)
	if len(found) > 1 {
		t.Fatalf("%s: found %v", label, found)
	}
	if opened >= 0 {
		before := copyOf(t, replayed(t, opened))
		after := copyOf(t, root)
		id, as := fmt.Sprint(opened), tree.Found
		r, err := w.Result(ctx, id)
		if err == nil {
			as = tree.During
			if slices.Contains(lines, fmt.Sprint("ended ", opened)) {
				after = copyOf(t, replayed(t, opened+1))
			}
		} else {
			if slices.Contains(lines, fmt.Sprint("ended ", opened)) {
				t.Fatalf("%s: call %d ended, and there is no result: %v", label, opened, err)
			}
			if len(found) != 1 || found[0].ID != id {
				t.Fatalf("%s: found %v, want call %s", label, found, id)
			}
			r = end(t, w, id)
		}
		equalChanges(t, w, r.Changes, changes(before, after, as), before, after)
	}
	for _, c := range found { // opened just before the kill
		_ = end(t, w, c.ID)
	}
	left, err := w.Left(ctx, func(string) bool { return true })
	must(t, err)
	if len(found) > 0 && len(left) != 1 {
		t.Fatalf("%s: left %v after the ends of the calls, want them until they are settled", label, left)
	}
	for _, l := range left {
		must(t, w.Settle(ctx, l.Handle))
	}
	noStrays(t, w, label)
	begin(t, w, "next", "s")
	before := copyOf(t, root)
	must(t, step(root, 99, func(string) {}))
	after := copyOf(t, root)
	equalChanges(t, w, end(t, w, "next").Changes, changes(before, after, tree.During), before, after)
	return len(found) > 0
}

// replayed returns a directory after a number of steps.
func replayed(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		must(t, step(dir, i, func(string) {}))
	}
	return dir
}

// noStrays fails if the directory of the snapshot has files that nothing refers
// to.
func noStrays(t *testing.T, w *snapshot.Workspace, label string) {
	t.Helper()
	entries, err := os.ReadDir(w.Dir())
	must(t, err)
	alive := 0
	for _, e := range entries {
		switch name := e.Name(); {
		case name == "lock" || name == "root" || name == "index" || name == w.LogName() || strings.HasPrefix(name, "pack-"):
		case strings.HasPrefix(name, "alive-"):
			alive++
		default:
			t.Fatalf("%s: the file %s was left", label, name)
		}
	}
	left, err := w.Left(ctx, func(string) bool { return true })
	must(t, err)
	if alive != 1+len(left) {
		t.Fatalf("%s: %d processes have the workspace open or left calls, want one and %v: %v", label, alive, left, entries)
	}
	if stray := w.Unreferenced(); stray > 0 {
		t.Fatalf("%s: %d bytes of the pack have no record", label, stray)
	}
}
