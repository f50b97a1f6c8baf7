//go:build linux

package snapshot_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/undo/snapshot"
	"github.com/bellcord/bellcord/internal/undo/tree"
)

// commands runs the commands of its input in the second process: begin ID,
// end ID, collect. Its session is "other".
func commands() {
	w, err := snapshot.Open(os.Args[1], os.Args[2], snapshot.Limits{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for s := bufio.NewScanner(os.Stdin); s.Scan(); {
		op, id, _ := strings.Cut(s.Text(), " ")
		var r snapshot.Result
		switch op {
		case "begin":
			_, err = w.Begin(ctx, snapshot.Call{ID: id, Turn: id, Session: "other"}, snapshot.Whole)
		case "end":
			r, err = w.End(ctx, id, snapshot.Whole)
		case "collect":
			_, err = w.Collect(ctx)
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		text, _ := json.Marshal(r.Changes)
		fmt.Println(string(text))
	}
	os.Exit(0)
}

// second is a process with the same workspace.
type second struct {
	t     *testing.T
	cmd   *exec.Cmd
	input io.WriteCloser
	out   *bufio.Scanner
}

func startSecond(t *testing.T, place, root string) *second {
	t.Helper()
	s := &second{t: t, cmd: exec.Command(os.Args[0], place, root)}
	s.cmd.Env = append(os.Environ(), "SNAPSHOT_CHILD=commands")
	s.input, _ = s.cmd.StdinPipe()
	out, _ := s.cmd.StdoutPipe()
	s.out = bufio.NewScanner(out)
	must(t, s.cmd.Start())
	t.Cleanup(func() { _, _ = s.cmd.Process.Kill(), s.cmd.Wait() })
	return s
}

func (s *second) do(command string) []tree.Change {
	s.t.Helper()
	_, _ = fmt.Fprintln(s.input, command)
	if !s.out.Scan() {
		s.t.Fatalf("%s: the process has ended", command)
	}
	var all []tree.Change
	if err := json.Unmarshal(s.out.Bytes(), &all); err != nil {
		s.t.Fatalf("%s: %s", command, s.out.Text())
	}
	return all
}

// summary returns the certainties and paths of changes.
func summary(all []tree.Change) []string {
	var texts []string
	for _, c := range all {
		texts = append(texts, fmt.Sprintf("%s %s", c.Certainty, c.Path))
	}
	return texts
}

func equalSummary(t *testing.T, what string, got []tree.Change, want ...string) {
	t.Helper()
	if !slices.Equal(summary(got), want) {
		t.Errorf("%s: %q, want %q", what, summary(got), want)
	}
}

func TestWorkspace_TwoProcesses_EachListsOnlyTheChangesOfItsCalls(t *testing.T) {
	t.Parallel()
	w, place, root := fresh(t, snapshot.Limits{})
	other := startSecond(t, place, root)
	write(t, root, "old", "1")
	begin(t, w, "a", "mine")
	write(t, root, "of a", "1")
	other.do("begin b")
	write(t, root, "of both", "1")
	equalSummary(t, "the first process", end(t, w, "a").Changes, "during of a", "disputed of both")
	write(t, root, "of b", "1")
	equalSummary(t, "the second process", other.do("end b"), "during of b", "disputed of both")

	other.do("collect") // a new base file, which this process must load
	begin(t, w, "c", "mine")
	write(t, root, "old", "2")
	equalSummary(t, "after a rewrite", end(t, w, "c").Changes, "during old")
	other.do("begin d")
	write(t, root, "old", "3")
	if found, err := w.Found(ctx); err != nil || len(found) > 0 {
		t.Errorf("calls of a living process were found: %v, %v", found, err)
	}
	must(t, other.cmd.Process.Kill())
	_ = other.cmd.Wait()
	found, err := w.Found(ctx)
	if err != nil || len(found) != 1 || !reflect.DeepEqual(found[0], snapshot.Call{ID: "d", Turn: "d", Session: "other"}) {
		t.Errorf("after the death of a process: %v, %v, want its call", found, err)
	}
	equalSummary(t, "the call of a dead process", end(t, w, "d").Changes, "found old")
	if found, err := w.Found(ctx); err != nil || len(found) > 0 {
		t.Errorf("a call that has ended was found: %v, %v", found, err)
	}
}
