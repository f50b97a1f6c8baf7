//go:build unix

package postgres_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store/postgres"
)

func TestLaw20_NodeResumedAfterTakeover_WritesAreRejected(t *testing.T) {
	t.Parallel()
	const lease = 2 * time.Second
	home := place(t)
	s := openWith(t, home, postgres.Options{})
	c := start(t, home, lease)
	id := session(t, s)
	running, waiting := c.runs(id)
	c.signal(syscall.SIGSTOP)
	took, fences := takes(t, s, lease+time.Second)
	t.Logf("taken over %v after the pause, under a lease of %v", took.Round(time.Millisecond), lease)
	ok(t, s, finish(running, fences[running.Turn], bellcord.EndLost))
	before := kinds(t, s, id)
	c.signal(syscall.SIGCONT)
	c.command("refused", "append", id, running.Turn, 1, 2)
	c.command("refused", "append", id, running.Turn, fences[running.Turn], 1)
	c.command("refused", "claim", id, waiting.Turn)
	c.command("refused", "accept", id, bellcord.NewTurnID())
	if after := kinds(t, s, id); len(after) != len(before) {
		t.Errorf("the log was %v, it became %v", before, after)
	}
	ok(t, s, claim(waiting))
}

func (c *child) signal(s syscall.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}
