package postgres_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bellcord/bellcord"
	"github.com/bellcord/bellcord/store"
	"github.com/bellcord/bellcord/store/postgres"
)

// child is a child process of this binary that acts as a node of the suite and
// executes one command per line; see storetest.Main.
type child struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.Writer
	answers *bufio.Scanner
}

func start(t *testing.T, place string, lease time.Duration) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: exec.Command(self)}
	c.cmd.Env = append(os.Environ(), "BELLCORD_STORETEST_PLACE="+with(t, place, "lease", lease.String()))
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.answers = bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	c.expectReply("ok")
	return c
}

// expectReply reads a reply that must begin with word.
func (c *child) expectReply(word string) {
	c.t.Helper()
	if !c.answers.Scan() || !strings.HasPrefix(c.answers.Text(), word) {
		c.t.Fatalf("the child answers %q, want %s", c.answers.Text(), word)
	}
}

func (c *child) command(want string, words ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, words...); err != nil {
		c.t.Fatal(err)
	}
	c.expectReply(want)
}

// runs makes the child start one turn and queue another.
func (c *child) runs(session bellcord.SessionID) (running, waiting store.AcceptTurn) {
	c.t.Helper()
	running, waiting = accept(session), accept(session)
	c.command("ok", "accept", session, running.Turn)
	c.command("ok", "claim", session, running.Turn)
	c.command("ok", "append", session, running.Turn, 1, 1)
	c.command("ok", "accept", session, waiting.Turn)
	return running, waiting
}

// takes polls until the node has taken over two turns, and returns the elapsed
// time and their fences.
func takes(t *testing.T, s *postgres.Store, within time.Duration) (time.Duration, map[bellcord.TurnID]int64) {
	t.Helper()
	fences := map[bellcord.TurnID]int64{}
	took := until(t, within, "the turns are taken over", func() bool {
		taken, err := s.TakeOver(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range taken {
			fences[r.ID] = r.Fence
		}
		return len(taken) == 2
	})
	return took, fences
}

func TestLaw33_KilledNode_TurnsAreTakenOverWhenLeaseExpires(t *testing.T) {
	t.Parallel()
	const lease = 2 * time.Second
	home := place(t)
	s := openWith(t, home, postgres.Options{})
	c := start(t, home, lease)
	running, waiting := c.runs(session(t, s))
	if taken, err := s.TakeOver(t.Context()); err != nil || len(taken) > 0 {
		t.Fatalf("taken from the living: %v, %v", taken, err)
	}
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	took, fences := takes(t, s, lease+time.Second)
	t.Logf("taken over %v after the kill, under a lease of %v", took.Round(time.Millisecond), lease)
	ok(t, s, finish(running, fences[running.Turn], bellcord.EndLost), finish(waiting, fences[waiting.Turn], bellcord.EndLost))
}
