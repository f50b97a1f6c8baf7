//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestChat_MarkdownAnswer_IsRendered(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.enters("[say It is **bold**: &#27;c.]")
	c.sees("● done 0:00")
	c.sees("It is bold: ␛c.")
	c.types("C-c")
	c.sees("press ctrl+c again to exit")
	c.types("C-c")
	c.sees("code=0")
	c.sees(" icanon")
	c.sees("to continue: bellcord chat --session ")
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
	c.sees("■ stopped 0:0")
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
	w := newWorld(t)
	c := w.chats("--mode full")
	c.enters(`[tool shell {"command":"trap '' TERM; echo $$ >stubborn; while :; do sleep 1; done"}]`)
	stubborn := numberIn(t, filepath.Join(w.dir, "stubborn"))
	c.types("C-c")
	c.sees("■ stopping…")
	c.types("C-c")
	c.sees("■ stopped 0:0") // the grace period is longer
	c.sees("1 tool stopped")
	comesTrue(t, "the command is gone", func() bool { return syscall.Kill(stubborn, 0) != nil })
	c.types("C-c", "C-c")
	c.sees("code=0")
	c.sees(" icanon")
}

func TestChat_ThreeCtrlCInARow_LeaveNoProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats("--mode full")
	c.enters(`[tool shell {"command":"trap '' TERM; echo $$ >stubborn; while :; do sleep 1; done"}]`)
	stubborn := numberIn(t, filepath.Join(w.dir, "stubborn"))
	c.types("C-c", "C-c", "C-c")
	c.sees("code=0")
	c.sees(" icanon")
	comesTrue(t, "the command is gone", func() bool { return syscall.Kill(stubborn, 0) != nil })
}

func TestChat_Queue_IsShownEditedHeldAndSent(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.enters("[slow 6000 20ms]")
	c.sees("● running")
	c.enters("[say second]")
	c.enters("[say third]")
	c.sees("2 queued")
	c.types("Up")
	c.types("Up")
	c.types("Enter")
	c.sees("✎ [say second]")
	c.types("BSpace")
	c.enters(" edited]")
	c.sees("+ [say second edited]")
	c.types("Up")
	c.types("d")
	c.sees("1 queued")
	c.types("Escape")
	c.sees("1 queued, 1 held by the stop")
	c.types("Up")
	c.types("s")
	c.sees("● done")
	c.sees("\nsecond edited")
}

func TestChat_Question_IsAnsweredByLetterAndClosedByStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.chats()
	c.enters(`[tool shell {"command":"echo it ran"}]`)
	c.sees("y once · a for this session · n reject — then enter")
	c.sees("in " + w.dir)
	c.answers("y")
	c.sees("│ it ran")
	c.sees("● done")
	c.enters(`[tool shell {"command":"echo never >never"}]`)
	c.sees("Run `echo never >never`?")
	c.types("Escape")
	c.sees("withdrawn without an answer")
	c.sees("1 tool not run")
	if text, ends := w.record(w.onlySession()); len(ends) != 2 || len(ends[1].WithdrawnQuestions) != 1 {
		t.Errorf("%q, ends %+v", text, ends)
	}
}

func TestChat_WindowResized_RewrapsText(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats()
	c.enters("[say one two three four five six seven eight nine ten]")
	c.sees("● done")
	c.tmux("resize-window", "-x", "20", "-y", "8")
	c.sees("one two three four\nfive six seven eight")
	c.enters("[say narrow]")
	c.sees("\nnarrow")
	c.tmux("resize-window", "-x", "100", "-y", "30")
	c.sees("one two three four five six seven eight nine ten")
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
	again.sees("✗ lost: the process that ran it died")
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
	other.sees("■ stopped 0:0")
	one.sees("■ stopped 0:0")
	one.sees("· by ")
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
	w := newWorld(t)
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
	c.types("C-c")
	c.sees("press ctrl+c again to exit")
	c.types("C-c")
	c.sees("code=0")
}
