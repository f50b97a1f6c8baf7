//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/testkit/short"
)

var crashes = flag.Int("crashes", 1, "crashes for each short command of TestLawU3_ShortCommandAfterACrash; 25 is the full run")

// afterCrash are the commands that follow a crash. T is the turn that was lost.
var afterCrash = [][]string{
	{"ps"},
	{"sessions"},
	{"receipt", "T"},
	{"changes", "T"},
	{"undo", "--yes", "T"},
	{"stop", "T"},
	{"serve", "--addr", "127.0.0.1:0"},
	{"run", "hello"},
}

func TestLawU3_ShortCommandAfterACrash_LosesNoChange(t *testing.T) {
	t.Parallel()
	short.Skip(t)
	for n, command := range afterCrash {
		t.Run(command[0], func(t *testing.T) {
			t.Parallel()
			for i := range *crashes {
				w := newWorld(t)
				w.crashes(bellcord.TurnID("00000000-0000-4000-8000-000000000001"))
				w.shortly(strings.ReplaceAll(strings.Join(command, " "), "T", "00000000-0000-4000-8000-000000000001"))
				w.undoesAll((i+n)%2 == 0)
			}
			t.Logf("%d crashes followed by bellcord %s: no change lost", *crashes, strings.Join(command, " "))
		})
	}
}

// crashes kills bellcord run while its command has changed files.
func (w *world) crashes(turn bellcord.TurnID) {
	w.t.Helper()
	path := w.writeFile("a.txt", "precious\n", 0o600)
	cmd := w.bellcord("run", "--mode", "full", "--turn", string(turn), `[tool shell {"command":"echo gone > a.txt; touch new; sleep 300"}]`)
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; {
		if _, err := os.Stat(filepath.Join(w.dir, "new")); err == nil {
			break
		}
		if time.Now().After(deadline) {
			w.t.Fatal("the command has not changed the files")
		}
		<-time.After(5 * time.Millisecond)
	}
	_ = cmd.Process.Kill() // it runs
	_ = cmd.Wait()
	if text, err := os.ReadFile(path); err != nil || string(text) != "gone\n" {
		w.t.Fatalf("the file has %q, %v", text, err)
	}
}

// shortly runs a command to its end. A server is stopped while it starts, or soon
// afterwards.
func (w *world) shortly(line string) {
	w.t.Helper()
	cmd := w.bellcord(strings.Fields(line)...)
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	if strings.HasPrefix(line, "serve") {
		<-time.After(rand.N(400 * time.Millisecond))
		_ = cmd.Process.Signal(syscall.SIGTERM)
	}
	_ = cmd.Wait() // the exit code depends on the moment
}

// undoesAll lists and undoes the last turn, by its id or without an argument, and
// compares the files.
func (w *world) undoesAll(named bool) {
	w.t.Helper()
	const turn = "00000000-0000-4000-8000-000000000001"
	text, _ := os.ReadFile(filepath.Join(w.dir, "a.txt"))
	undone := string(text) == "precious\n" // the short command was the undo
	w.listsTheChanges(turn)
	args := []string{"undo", "--yes"}
	if named {
		args = append(args, turn)
	}
	if !undone {
		w.listsTheChanges()
		if out, errs, code := w.does(args...); code != 0 {
			w.t.Fatalf("undo: %s%s, exit code %d", out, errs, code)
		}
	}
	text, _ = os.ReadFile(filepath.Join(w.dir, "a.txt"))
	if _, err := os.Stat(filepath.Join(w.dir, "new")); err == nil || string(text) != "precious\n" {
		w.t.Fatalf("after the undo, a.txt has %q, and new: %v", text, err)
	}
}

// listsTheChanges lists the changes of the last turn, which must be complete.
func (w *world) listsTheChanges(turn ...string) {
	w.t.Helper()
	out, errs, code := w.does(append([]string{"changes", "--json"}, turn...)...)
	var c bellcord.Changes
	if err := json.Unmarshal([]byte(out), &c); err != nil || code != 0 || c.Pending || c.Changed != 1 || c.Created != 1 {
		w.t.Fatalf("changes %s: %s%s, exit code %d", turn, out, errs, code)
	}
}
