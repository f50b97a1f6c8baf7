package main

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bellcord/bellcord/internal/config"
)

// testStage opens a stage that closes with the test.
func testStage(t *testing.T) *stage {
	t.Helper()
	dir := t.TempDir()
	s, err := openStage(t.Context(), dir, config.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.closeAll(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func taskNamed(t *testing.T, name string) task {
	t.Helper()
	tasks, err := loadTasks()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range tasks {
		if k.name != name {
			continue
		}
		if none := k.missing(); len(none) > 0 {
			t.Skipf("%s is missing", none)
		}
		return k
	}
	t.Fatalf("there is no task %s", name)
	return task{}
}

// fastCases are cases with commands that run everywhere and end soon.
const fastCases = "crlf-1 crlf-32 bom-14 bom-33 dirty-23 quotes-18 md-links-18 stop-truth-11"

func TestEval_FastCases_AreSolved(t *testing.T) {
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	s := testStage(t)
	for _, c := range allCases() {
		if !slices.Contains(strings.Fields(fastCases), c.name()) {
			continue
		}
		t.Run(c.name(), func(t *testing.T) {
			o, err := s.playCase(t.Context(), taskNamed(t, c.task), c)
			if err != nil || !o.Solved || o.Calls == 0 {
				t.Errorf("%+v, %v", o, err)
			}
		})
	}
}

// A scripted model that learns nothing from the answers must not pass.
func TestEval_ScriptThatGivesUpOrDoesNothing_IsNotSolved(t *testing.T) {
	t.Setenv("GIT_CEILING_DIRECTORIES", os.TempDir())
	s := testStage(t)
	crlf := taskNamed(t, "crlf")
	scripts := map[string]script{
		"does nothing": func(*player) {},
		"gives up after it has solved the task": func(p *player) {
			p.insist("edit_file", edit("c.txt", "two", "2"))
			p.giveUp("an answer")
		},
		"fails without a suggestion": func(p *player) { p.insist("read_file", object{"path": "missing.txt"}) },
	}
	for name, play := range scripts {
		o, err := s.playCase(t.Context(), crlf, testCase{task: "crlf", play: play})
		if err != nil || o.Solved || o.note == "" {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
}

func TestCases_All_HaveTaskAndMistakeAndEveryTaskIsPlayed(t *testing.T) {
	t.Parallel()
	tasks, err := loadTasks()
	if err != nil || len(tasks) != 30 {
		t.Fatalf("%d tasks, %v", len(tasks), err)
	}
	played, mistakes, seen := map[string]bool{}, map[int]bool{}, map[string]bool{}
	for _, c := range allCases() {
		if seen[c.name()] {
			t.Errorf("%s exists twice", c.name())
		}
		seen[c.name()], played[c.task], mistakes[c.mistake] = true, true, true
	}
	for _, k := range tasks {
		if !played[k.name] {
			t.Errorf("no case plays %s", k.name)
		}
	}
	if len(mistakes) != 61 {
		t.Errorf("%d mistakes", len(mistakes))
	}
}

func TestPage_EveryCase_HasRow(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/dev/agent-eval.md")
	if err != nil {
		t.Fatal(err)
	}
	before, err := loadBefore()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range allCases() {
		if _, recorded := before.Results[c.name()]; !recorded {
			t.Errorf("%s has no earlier result", c.name())
		}
		if !strings.Contains(string(page), "| "+c.about+" | `"+c.task+"` |") {
			t.Errorf("the page has no row for %s: run make eval", c.name())
		}
	}
}

func TestTasks_Checks_FailBeforeReferenceAndPassAfter(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"crlf", "md-links", "sh-mode", "find", "dirty"} {
		if err := checkTask(context.WithoutCancel(t.Context()), t.TempDir(), taskNamed(t, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnswers_Facts_AreFoundInDifferentWordings(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		`[not started: arguments: unknown field "file_path"; the fields are path, offset, limit]`,
		"[not started: unknown argument `file_path` (did you mean `path`?)]",
	} {
		a := attempt{args: object{"file_path": "x"}, spare: object{}}
		if !changeKeys(&a, answer) || a.args["path"] != "x" {
			t.Errorf("%s: %v", answer, a.args)
		}
	}
	if got := otherPath("/workspace/f.py", "error: /workspace/f.py is outside; did you mean f.py?"); got != "f.py" {
		t.Errorf("the other path is %q", got)
	}
	if got := otherPath("f.py:4", "error: open f.py:4: no such file"); got != "" {
		t.Errorf("the path %q was not suggested", got)
	}
	if got := number(nextOffset, "[lines 1-2000 of 12000; continue with offset 2001]"); got != 2001 {
		t.Errorf("the next offset is %d", got)
	}
	if got := corrected("for i := range s {", "the file has in line 4:\n4→\tfor i := range a {"); got != "\tfor i := range a {" {
		t.Errorf("the corrected line is %q", got)
	}
	if got := corrected("\tfor i := range s {", "line 4 differs:\n  old:  →for i := range s {\n  file: →for i := range a {\n"); got != "\tfor i := range a {" {
		t.Errorf("the corrected line is %q", got)
	}
}
