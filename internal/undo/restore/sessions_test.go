//go:build linux

package restore_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/restore"
	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

var interleavings = flag.Int("interleavings", 10, "random interleavings of two processes with one session each")

// sessionVariable has the base directory of a session that this process runs
// instead of tests, and its name.
const sessionVariable = "BELLCORD_TEST_SESSION"

// order is one line of input of a session: begin, write, remove, end, undo, redo.
type order struct{ Do, Call, Path, Text string }

// sessionProcess follows orders. After each, it prints the paths that it changed.
func sessionProcess(base, name string) error {
	ctx := context.Background()
	root := filepath.Join(base, "workspace")
	w, err := snapshot.Open(filepath.Join(base, "snapshots"), root, snapshot.Limits{})
	if err != nil {
		return err
	}
	undone := func(call string) string { return filepath.Join(base, name+"-undo-"+call) }
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			return err
		}
		var done []string
		switch o.Do {
		case "begin":
			_, err = w.Begin(ctx, snapshot.Call{ID: o.Call, Turn: o.Call, Session: name}, snapshot.Whole)
		case "write":
			if err = os.MkdirAll(filepath.Dir(filepath.Join(root, o.Path)), 0o755); err == nil {
				err = os.WriteFile(filepath.Join(root, o.Path), []byte(o.Text), 0o644)
			}
		case "end":
			_, err = w.End(ctx, o.Call, snapshot.Whole)
		case "undo":
			var r snapshot.Result
			if r, err = w.Result(ctx, o.Call); err == nil {
				done, err = apply(w, snapshot.Call{ID: "undo " + o.Call, Session: name}, root, undone(o.Call), certain(r.Changes, o.Path), w)
			}
		case "redo":
			var reversed []tree.Change
			if reversed, err = restore.Reversed(undone(o.Call)); err == nil {
				done, err = apply(w, snapshot.Call{ID: "redo " + o.Call, Session: name}, root, undone(o.Call)+"-redo", reversed, restore.Sources{restore.Displaced{undone(o.Call)}, w})
			}
		}
		if err != nil {
			return fmt.Errorf("%v: %w", o, err)
		}
		answer, _ := json.Marshal(done)
		fmt.Println(string(answer))
	}
	return w.Close()
}

// certain returns the changes that an undo acts on: disputed and loose ones only if
// their path is named.
func certain(all []tree.Change, named string) []tree.Change {
	return slices.DeleteFunc(all, func(c tree.Change) bool {
		return (c.Certainty == tree.Disputed || c.Certainty == tree.Loose) && c.Path != named
	})
}

// apply undoes changes and returns the restored paths. The undo is a call of the
// session: what it changes while a call of another session is open is disputed, and
// not a change of that call.
func apply(w *snapshot.Workspace, call snapshot.Call, root, dir string, all []tree.Change, source restore.Source) ([]string, error) {
	ctx := context.Background()
	u, err := restore.Plan(root, [][]tree.Change{all}, restore.Options{Dir: dir, Source: source})
	if err != nil {
		return nil, err
	}
	var paths, done []string
	for _, o := range u.Preview() {
		if o.Result == restore.Restored {
			paths = append(paths, o.Path)
		}
	}
	if _, err := w.Keep(ctx, call, paths...); err != nil {
		return nil, err
	}
	outcomes, err := u.Apply(ctx)
	if err != nil {
		return nil, err
	}
	for _, o := range outcomes {
		if o.Result == restore.Restored {
			done = append(done, o.Path)
		}
	}
	_, err = w.End(ctx, call.ID, snapshot.KeptPart)
	return done, err
}

// session is a process with a session.
type session struct {
	t     *testing.T
	name  string
	input io.Writer
	out   *bufio.Scanner
}

func startSession(t *testing.T, base, name string) *session {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), sessionVariable+"="+base, sessionVariable+"_NAME="+name)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = input.Close(); _ = cmd.Wait() })
	return &session{t, name, input, bufio.NewScanner(out)}
}

// do gives an order and returns the paths that the session restored.
func (s *session) do(o order) (done []string) {
	s.t.Helper()
	line, _ := json.Marshal(o)
	_, err := fmt.Fprintln(s.input, string(line))
	must(s.t, err)
	if !s.out.Scan() {
		s.t.Fatalf("session %s ended at %v", s.name, o)
	}
	must(s.t, json.Unmarshal(s.out.Bytes(), &done))
	return done
}

// U11: two threads work in one directory, each in its own process. Thread one writes
// a file, thread two writes others, then thread one is undone: the files of
// thread two stay, with their inodes. (The steps of t3code #5512.)
func TestLawU11_TwoProcessesInOneDirectory_TouchesOnlyItsOwnTurn(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	p := place{root: filepath.Join(base, "workspace")}
	must(t, os.Mkdir(p.root, 0o755))
	must(t, world{"shared": file("0"), "one": file("0"), "two": file("0")}.build(p.root))
	one, two := startSession(t, base, "one"), startSession(t, base, "two")

	one.do(order{Do: "begin", Call: "1"})
	one.do(order{Do: "write", Path: "one", Text: "1"})
	one.do(order{Do: "write", Path: "shared", Text: "1"})
	one.do(order{Do: "write", Path: "dir/one", Text: "1"})
	one.do(order{Do: "end", Call: "1"})
	two.do(order{Do: "begin", Call: "2"})
	two.do(order{Do: "write", Path: "two", Text: "2"})
	two.do(order{Do: "write", Path: "shared", Text: "2"})
	two.do(order{Do: "write", Path: "dir/two", Text: "2"})
	two.do(order{Do: "end", Call: "2"})
	kept := map[string]os.FileInfo{}
	for _, path := range []string{"two", "shared", "dir/two"} {
		kept[path] = info(t, p, path)
	}

	if done := one.do(order{Do: "undo", Call: "1"}); !slices.Equal(done, []string{"dir/one", "one"}) {
		t.Errorf("the undo of the first thread restored %q", done)
	}
	p.wantWorld(t, world{"shared": file("2"), "one": file("0"), "two": file("2"), "dir": dir(0o755), "dir/two": file("2")})
	for path, old := range kept {
		if now := info(t, p, path); !os.SameFile(now, old) || !now.ModTime().Equal(old.ModTime()) {
			t.Errorf("%s of the other thread was replaced", path)
		}
	}
	one.do(order{Do: "redo", Call: "1"})
	p.wantWorld(t, world{"shared": file("2"), "one": file("1"), "two": file("2"), "dir": dir(0o755), "dir/one": file("1"), "dir/two": file("2")})
}

// U11: calls of both overlap. Their changes are disputed: an undo acts on them only
// if they are named.
func TestUndo_CallsOfTwoProcessesOverlap_TouchesOnlyNamedPaths(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	p := place{root: filepath.Join(base, "workspace")}
	must(t, os.Mkdir(p.root, 0o755))
	must(t, world{"one": file("0"), "two": file("0")}.build(p.root))
	one, two := startSession(t, base, "one"), startSession(t, base, "two")
	one.do(order{Do: "begin", Call: "1"})
	two.do(order{Do: "begin", Call: "2"})
	one.do(order{Do: "write", Path: "one", Text: "1"})
	two.do(order{Do: "write", Path: "two", Text: "2"})
	two.do(order{Do: "end", Call: "2"})
	one.do(order{Do: "write", Path: "alone", Text: "1"})
	one.do(order{Do: "end", Call: "1"})
	if done := one.do(order{Do: "undo", Call: "1"}); !slices.Equal(done, []string{"alone"}) {
		t.Errorf("without a name: %q", done)
	}
	if done := two.do(order{Do: "undo", Call: "2", Path: "two"}); !slices.Equal(done, []string{"two"}) {
		t.Errorf("with a name: %q", done)
	}
	p.wantWorld(t, world{"one": file("1"), "two": file("0")})
}

// U11: for random interleavings of calls and undos of two processes, an undo
// restores only paths that its session wrote.
func TestLawU11_RandomInterleavingsOfTwoProcesses_NeverTouchesTheOthersPaths(t *testing.T) {
	t.Parallel()
	restored, calls := 0, 0
	for n := range *interleavings {
		random := rand.New(rand.NewPCG(21, uint64(n)))
		base := t.TempDir()
		root := filepath.Join(base, "workspace")
		must(t, os.Mkdir(root, 0o755))
		var sessions []*session
		open, ended := map[string]string{}, map[string][]string{}
		for _, name := range []string{"one", "two"} {
			sessions = append(sessions, startSession(t, base, name))
		}
		for step := range 40 {
			s := sessions[random.IntN(2)]
			text := fmt.Sprint(n, ".", step)
			switch call := open[s.name]; {
			case call == "" && len(ended[s.name]) > 0 && random.IntN(3) == 0:
				before, err := readWorld(root)
				must(t, err)
				last := len(ended[s.name]) - 1
				undo := ended[s.name][last]
				ended[s.name] = ended[s.name][:last]
				restored += len(s.do(order{Do: "undo", Call: undo}))
				after, err := readWorld(root)
				must(t, err)
				for path := range changedPaths(before, after) {
					if !strings.HasPrefix(path, s.name) {
						t.Fatalf("interleaving %d, step %d: the undo of session %s changed %s", n, step, s.name, path)
					}
				}
			case call == "":
				calls++
				open[s.name] = s.name + text
				s.do(order{Do: "begin", Call: s.name + text})
			case random.IntN(3) == 0:
				s.do(order{Do: "end", Call: call})
				delete(open, s.name)
				ended[s.name] = append(ended[s.name], call)
			default:
				s.do(order{Do: "write", Path: fmt.Sprint(s.name, "-", random.IntN(4)), Text: text})
			}
		}
	}
	if restored == 0 {
		t.Error("no undo restored a path")
	}
	t.Logf("%d interleavings with %d calls: %d paths restored, none of the other session", *interleavings, calls, restored)
}

// changedPaths returns the paths at which two worlds differ.
func changedPaths(before, after world) map[string]bool {
	paths := map[string]bool{}
	for _, w := range []world{before, after} {
		for path := range maps.Keys(w) {
			if before[path] != after[path] {
				paths[path] = true
			}
		}
	}
	return paths
}
