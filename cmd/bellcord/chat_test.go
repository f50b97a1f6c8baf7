//go:build unix

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/internal/front/line"
)

func TestChat_MarkdownAnswer_IsRendered(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.enters("[say It is **bold**: &#27;c.]")
	c.sees("● done 0:0")
	c.sees("It is bold: ␛c.")
	c.leaves()
	c.sees(" icanon")
	c.sees("to continue: bellcord chat --session ")
}

func TestChat_CodeAndTable_AreColouredAndDrawnWithTheMeterBelow(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.entersLines("[usage 64000 20] [say Look:", "", "```go", "func main() { return }", "```", "", "| name | value |", "|---|---|", "| one | 1 |", "", "That is all.]")
	c.sees("● done")
	c.sees("name │ value\n─────┼──────\none  │ 1\n")
	c.sees(" ctx 50%")
	if screen := c.tmux("capture-pane", "-p", "-e"); !regexp.MustCompile(`\x1b\[3[1-6]mfunc`).MatchString(screen) {
		t.Errorf("the code has no colours: %q", screen)
	}
}

func TestChat_WideTableInANarrowWindow_IsDrawnAsRecords(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.entersLines("[say Look:", "", "| Package | Purpose | Imports |", "|---|---|---|", "| lifecycle | rules of turns | nothing |", "| internal/llm | providers | the core |", "", "That is all.]")
	c.sees("● done")
	c.sees("Package      │ Purpose        │ Imports\n")
	c.types("C-o") // printed lines keep their width
	c.sees("Transcript  ")
	c.tmux("resize-window", "-x", "28", "-y", "30")
	c.sees("Package: lifecycle\nPurpose: rules of turns\nImports: nothing\n\nPackage: internal/llm\nPurpose: providers\nImports: the core\n")
	c.tmux("resize-window", "-x", "100", "-y", "30")
	c.sees("Package      │ Purpose        │ Imports\n")
}

func TestChat_Esc_StopsAndKeepsText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats()
	c.enters("[slow 6000 20ms]")
	c.sees("word9 ")
	c.types("Up")
	c.sees("word20 ")
	c.types("Escape")
	c.sees("■ stopped after ")
	c.sees("kept: text")
	c.sees("word20 ")
	if _, ends := w.record(w.onlySession()); len(ends) != 1 || ends[0].End != bellcord.EndStopped || ends[0].Cause.Source != "terminal" {
		t.Errorf("ends %+v", ends)
	}
	c.enters("[say And on it goes.]")
	c.sees("And on it goes.")
}

func TestChat_RepeatedCtrlC_StopsForcesAndLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withoutSandbox()
	c := w.chats("--mode full")
	c.enters(`[tool shell {"command":"trap '' TERM; echo $$ >stubborn; while :; do sleep 1; done"}]`)
	stubborn := numberIn(t, filepath.Join(w.dir, "stubborn"))
	c.types("C-c")
	c.sees("■ stopping…")
	<-time.After(300 * time.Millisecond) // an earlier one does not force the stop
	c.types("C-c")
	c.sees("■ stopped after ") // the grace period is longer
	c.sees("kept: 1 result")
	comesTrue(t, "the command is gone", func() bool { return syscall.Kill(stubborn, 0) != nil })
	c.leaves()
	c.sees(" icanon")
}

// A key that bounces or repeats must neither force the stop nor exit.
func TestChat_ThreeCtrlCInARow_StopOnceAndStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withoutSandbox()
	c := w.chats("--mode full")
	c.enters(`[tool shell {"command":"trap '' TERM; echo $$ >stubborn; while :; do sleep 1; done"}]`)
	stubborn := numberIn(t, filepath.Join(w.dir, "stubborn"))
	c.types("C-c", "C-c", "C-c")
	c.sees("■ stopped after ")
	c.sees("○ ready")
	if syscall.Kill(stubborn, 0) == nil {
		t.Error("the command is still there")
	}
	_, ends := w.record(w.onlySession())
	if len(ends) != 1 || ends[0].Cause.Mode == bellcord.StopForce {
		t.Errorf("ends %+v", ends)
	}
	c.leaves()
	c.sees(" icanon")
}

func TestChat_Queue_IsShownEditedHeldAndSent(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.enters("[slow 6000 20ms]")
	c.sees("● running")
	c.enters("[say second]")
	c.enters("[say third]")
	c.sees("queue 2 ")
	c.types("Tab")
	c.types("Up")
	c.types("Enter")
	c.sees("✎ [say second]")
	c.types("BSpace")
	c.enters(" edited]")
	c.sees("1 [say second edited]")
	c.types("Tab")
	c.types("d")
	c.sees("discarded: [say third]")
	c.sees("queue 1 ")
	c.types("u")
	c.sees("queue 2 ")
	c.types("Down")
	c.types("d")
	c.sees("discarded: [say third]")
	c.types("Escape")
	c.sees("queue 1 · [say second edited]")
	c.types("Escape")
	c.sees("held 1: not sent, because the turn was stopped")
	c.types("Tab")
	c.types("s")
	c.sees("● done")
	c.sees("\nsecond edited")
}

func TestChat_PromptOfAnEarlierChat_IsShownByUpAndFoundByCtrlR(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats()
	c.enters("[say first words]")
	c.sees("● done")
	c.enters("[say second words]")
	c.sees("\nsecond words")
	c.enters("/quit")
	c = w.chats()
	c.types("Up")
	c.sees("› [say second words]")
	c.types("C-c")
	c.sees("cleared; up shows it again")
	c.types("C-r")
	c.types("first")
	c.sees("search: first")
	c.sees("› [say first words]")
	c.types("Enter")
	c.types("Enter")
	c.sees("\nfirst words")
}

func TestChat_SlashMenu_CompletesAndRunsACommand(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.types("/st")
	c.sees("›/stop")
	c.types("Down")
	c.sees("›/status")
	c.types("Enter")
	c.sees("session not created yet")
}

func TestChat_SlashMenu_TabCompletesWithoutRunningTheCommand(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.types("/sta")
	c.sees("›/status")
	c.types("Tab")
	c.types("-l", "x")
	c.sees("› /status x")
	c.types("BSpace", "BSpace")
	if screen := c.tmux("capture-pane", "-p", "-J"); strings.Contains(screen, "session not created yet") {
		t.Errorf("Tab ran the command:\n%s", screen)
	}
	c.types("Enter")
	c.sees("session not created yet")
}

func TestChat_AtSign_CompletesAPathOfTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"totals.go", "notes.md"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := w.chats()
	c.types("-l", "[say @tot")
	c.sees("@totals.go")
	c.types("Tab")
	c.types("-l", "is it]")
	c.sees("› [say @totals.go is it]")
	c.types("Enter")
	c.sees("\n@totals.go is it")
}

func TestChat_CtrlG_EditsThePromptInTheEditorWhileATurnRuns(t *testing.T) {
	w := newWorld(t)
	editor := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho ' of the editor]' >>\"$2\"\nls -l \"$2\" >\"$1\"\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("VISUAL", editor+" "+editor+".mode")
	c := w.chats()
	c.enters("[slow 6000 20ms]")
	c.sees("word9 ")
	c.types("-l", "[say words")
	c.types("C-g")
	c.sees("of the editor]")
	c.types("Escape")
	c.sees("■ stopped")
	c.types("Enter")
	c.sees("\nwords of the editor")
	if mode, err := os.ReadFile(editor + ".mode"); err != nil || !strings.HasPrefix(string(mode), "-rw------- ") {
		t.Errorf("the file of the prompt is %q (%v)", mode, err)
	}
}

func TestChat_ListOfSessions_FindsRenamesAndDeletes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats()
	c.enters("[say words of the cart]")
	c.sees("● done")
	c.enters("[say a locomotive departs]")
	c.sees("\na locomotive departs")
	c.enters("/new")
	c.sees("new session")
	c.enters("[say words of the page]")
	c.sees("\nwords of the page")
	c.types("C-p")
	c.sees("Sessions in ")
	c.types("locomotive") // in the second prompt
	c.sees("● [say words of the cart] · [say a locomotive departs]")
	if screen := c.tmux("capture-pane", "-p"); strings.Count(screen, "enter opens") != 1 {
		t.Errorf("rows of the longer list are left:\n%s", screen)
	}
	c.types("C-u")
	c.types("cart")
	c.sees("enter opens")
	c.types("C-r")
	c.types(" and more")
	c.sees("new title: [say words of the cart] and more")
	c.types("Enter")
	c.sees("● [say words of the cart] and more") // in the list, not in the field of the title
	c.types("C-x")
	c.sees("and its history? y deletes it")
	c.types("y")
	c.sees("no session found")
	c.types("Escape")
	c.sees("words of the page")
	c.enters("/quit")
	if text, _ := w.record(w.onlySession()); !strings.Contains(text, "words of the page") {
		t.Errorf("the session that is left contains %q", text)
	}
}

func TestChat_Question_IsAnsweredByLetterAndClosedByStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats()
	c.enters(`[tool shell {"command":"echo it ran"}]`)
	c.sees("  a allow for this session: exactly this call")
	c.sees("in " + w.dir)
	c.answers("y")
	c.sees("│ it ran")
	c.sees("● done")
	c.enters(`[tool shell {"command":"echo twice"}]`)
	c.sees("Run `echo twice`?")
	<-time.After(2 * line.Settling)
	c.types("n")
	c.sees("enter confirms · tab adds a reason")
	c.types("Tab")
	c.sees("why? The reason goes to the agent")
	c.enters("not on Friday")
	c.sees("Results: 1")
	c.sees("not on Friday")
	c.enters(`[tool shell {"command":"echo never >never"}]`)
	c.sees("Run `echo never >never`?")
	c.types("Escape")
	c.sees("withdrawn without an answer")
	c.sees("1 command not run")
	if text, ends := w.record(w.onlySession()); len(ends) != 3 || len(ends[2].WithdrawnQuestions) != 1 {
		t.Errorf("%q, ends %+v", text, ends)
	}
}

func TestChat_AfterKill_ContinuesWithShownText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats()
	c.enters("[slow 6000 20ms]")
	c.sees("word20 ")
	if err := syscall.Kill(c.pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	again := w.chats("--session", string(w.onlySession())[:13])
	again.sees("word20 ")
	again.sees("✗ lost: Bellcord ended during this turn")
	again.enters("[say and now?]")
	again.sees("\nand now?")
}

func TestChat_TwoTerminals_ShowSameTextAndStopOrigin(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	server := w.daemon(nil)
	session, _ := server.prompts("[slow 6000 20ms]")
	one, other := w.chats("--session", string(session)), w.chats("--session", string(session), "--server", server.url)
	one.sees("word20 ")
	other.sees("word20 ")
	other.types("Escape")
	other.sees("■ stopped after ")
	one.sees("■ stopped after ")
	one.sees(" s by ")
	one.enters("[say for both]")
	one.sees("\nfor both")
	other.sees("\nfor both")
}

func TestChat_ServerRestarted_Reconnects(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	server := w.daemon(nil)
	addr := strings.TrimPrefix(server.url, "http://")
	session, _ := server.prompts("[say before]")
	c := w.chats("--session", string(session), "--server", server.url)
	c.sees("\nbefore")
	server.terminates()
	server.ends()
	c.sees("cannot reach the server")
	back := w.daemon(nil, "--addr", addr)
	if status := back.request("POST", "/v1/sessions/"+string(session)+"/turns", map[string]string{"text": "[say after]"}, nil); status != 202 {
		t.Fatalf("a turn: %d", status)
	}
	c.sees("\nafter")
}

func TestChat_SIGHUP_EndsChildProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withoutSandbox()
	c := w.chats("--mode full")
	c.enters(`[tool shell {"command":"echo $$ >child; sleep 1000"}]`)
	child := numberIn(t, filepath.Join(w.dir, "child"))
	if err := syscall.Kill(c.pid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	comesTrue(t, "the child is gone", func() bool { return syscall.Kill(child, 0) != nil })
	c.sees("code=0")
	c.sees(" icanon")
	if _, ends := w.record(w.onlySession()); len(ends) != 1 || ends[0].Cause.Kind != bellcord.CauseShutdown {
		t.Errorf("ends %+v", ends)
	}
}

func TestChat_Plain_AppendsLinesAndStates(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats("--plain")
	c.enters("[say hello \u009b31mthere]")
	c.sees("hello \ufffd31mthere")
	c.sees("● done")
	c.enters("/stop")
	c.sees("Nothing is running.")
	c.enters(`[tool shell {"command":"echo it ran"}]`)
	c.sees("n: reject; then Enter")
	c.enters("n")
	c.sees("answered: reject")
	c.enters("[slow 6000 20ms]")
	c.sees("word9 ")
	c.types("C-c")
	c.sees("■ stopping…")
	c.sees("■ stopped by ")
	c.leaves()
}

func TestChat_AccessibleVariable_SelectsPlain(t *testing.T) {
	t.Setenv("ACCESSIBLE", "1")
	w := newWorld(t)
	cmd := w.bellcord("chat")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "bellcord chat, plain") {
		t.Errorf("%v: %q", err, out)
	}
}

func TestChat_AddDir_LetsFileToolsAccessIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "note.txt"), []byte("from elsewhere"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.chats("--plain", "--add-dir", other)
	c.enters(`[tool read_file {"path":"` + filepath.Join(other, "note.txt") + `"}]`)
	c.sees("from elsewhere")
	c.sees("● done")
	c.leaves()
	if _, errs, code := w.does("chat", "--plain", "--add-dir", other+"/none"); code == 0 || !strings.Contains(errs, "--add-dir: no such directory") {
		t.Errorf("with a directory that does not exist: %q, exit code %d", errs, code)
	}
	if _, errs, code := w.does("run", "--server", "http://127.0.0.1:1", "--add-dir", other, "hi"); code == 0 || !strings.Contains(errs, "--add-dir: a session on a server has only the directory of --dir") {
		t.Errorf("on a server: %q, exit code %d", errs, code)
	}
}
