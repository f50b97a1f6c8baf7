//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bellcord/bellcord"
)

func TestChat_BangCommand_RunsInWorkspaceWithoutQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.dir, "here.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := w.chats()
	c.enters("!ls; echo to $((6*7))")
	c.sees("> !ls; echo to")
	c.sees("│ here.txt")
	c.sees("│ to 42")
	c.sees("● done")
	c.types("Up")
	c.sees("› !ls; echo to")
}

func TestChat_BangCommand_EscEndsItsProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t).withoutSandbox()
	c := w.chats()
	c.enters("!sleep 1000 & echo $! >child; trap '' TERM; echo $$ >stubborn; while :; do sleep 1; done")
	child, stubborn := numberIn(t, filepath.Join(w.dir, "child")), numberIn(t, filepath.Join(w.dir, "stubborn"))
	c.types("Escape")
	c.sees("■ stopped after ")
	for _, pid := range []int{child, stubborn} {
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d survived the stop", pid)
		}
	}
	_, ends := w.record(w.onlySession())
	if len(ends) != 1 || ends[0].End != bellcord.EndStopped || len(ends[0].Calls.Stopped) != 1 || len(ends[0].Processes.Ended) < 2 {
		t.Errorf("ends %+v", ends)
	}
}

func TestChat_BangCommandOnServer_RunsThereAndObeysTheMode(t *testing.T) {
	t.Parallel()
	c := chatsOnServer(t)
	c.enters("!echo to $((6*7))")
	c.sees("│ to 42")
	c.sees("● done")
	c.enters("/mode read-only")
	c.sees("mode read-only")
	c.enters("!echo never >never")
	c.sees("the mode is read-only")
}

func TestChat_CompactOnServer_SummarizesTheConversation(t *testing.T) {
	t.Parallel()
	c := chatsOnServer(t)
	c.enters("/compact [say They talked.]")
	c.sees("compacting")
	c.sees("compacted: the conversation so far is now a summary")
}

func TestChat_PlainBangCommand_ShowsItsOutput(t *testing.T) {
	t.Parallel()
	c := newWorld(t).chats("--plain")
	c.enters("!echo to $((6*7))")
	c.sees("to 42")
	c.sees("● done")
	if screen := c.tmux("capture-pane", "-p", "-J"); strings.Contains(screen, "then Enter") {
		t.Errorf("a question was asked:\n%s", screen)
	}
}
