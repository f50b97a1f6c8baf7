//go:build unix

package main

import (
	"bufio"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord/api"
)

var (
	stopsSeen     = flag.Int("stops-seen", 5, "how often it is measured when a stop is on the screen")
	parallelTurns = flag.Int("beside", 20, "turns that stream in the same server meanwhile; the figure is for 200")
)

// watches returns a channel with the times at which text was written to the terminal.
func (x *terminal) watches(text string) <-chan time.Time {
	x.t.Helper()
	path := filepath.Join(x.t.TempDir(), "output")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		x.t.Fatal(err)
	}
	x.tmux("pipe-pane", "-O", "cat >"+path)
	f, err := os.Open(path)
	if err != nil {
		x.t.Fatal(err)
	}
	times := make(chan time.Time, 1<<10)
	x.t.Cleanup(func() {
		_ = f.Close()
		for range times { // wait for the reader to end
		}
	})
	go func() {
		defer close(times)
		output, end := bufio.NewReader(f), ""
		for {
			b, err := output.ReadByte()
			if err != nil {
				return
			}
			end += string(b)
			end = end[max(0, len(end)-len(text)):]
			if end == text {
				times <- time.Now()
			}
		}
	}()
	return times
}

// firstAfter returns the first of the times that is after from.
func firstAfter(t *testing.T, times <-chan time.Time, from time.Time) time.Time {
	t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case at := <-times:
			if at.After(from) {
				return at
			}
		case <-late:
			t.Fatal("it never came")
		}
	}
}

// The measured time begins before another program sends the key, and ends when the word is written
// to the terminal. It includes 50 ms to decide that an Esc is not the beginning of another key. The
// test prints a figure and fails only on a hang, because a busy machine makes the figure large.
func TestChat_EscWhileOtherTurnsStream_ShowsStopping(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	server := w.daemon(nil)
	var begun sync.WaitGroup
	for range 20 { // in parallel, because each waits for the disk
		begun.Go(func() {
			for range *parallelTurns / 20 {
				server.prompts("[slow 6000 50ms]")
			}
		})
	}
	begun.Wait()
	session, _ := server.prompts("[slow 6000 50ms]")
	c := w.chats("--session", string(session))
	stopShown := c.watches("stopp") // matches "stopping" and "stopped": a turn may settle before the next frame is drawn
	var took []time.Duration
	for n := range *stopsSeen {
		if n > 0 {
			if status := server.request("POST", "/v1/sessions/"+string(session)+"/turns", api.NewTurn{Text: "[slow 6000 50ms]"}, nil); status != 202 {
				t.Fatalf("a turn: %d", status)
			}
		}
		c.sees("● running")
		pressed := time.Now()
		c.types("Escape")
		took = append(took, firstAfter(t, stopShown, pressed).Sub(pressed))
		c.sees("○ ready")
	}
	slices.Sort(took)
	at := func(share float64) time.Duration {
		return took[int(share*float64(len(took)-1))].Round(time.Millisecond)
	}
	t.Logf("%d stops beside %d streaming turns: Esc to \"stopping\" p50 %s, p99 %s", len(took), *parallelTurns, at(0.5), at(0.99))
}
