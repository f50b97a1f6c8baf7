package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bellcord/bellcord"
)

// curl watches one session with one process after the other. Each is killed, and the next continues
// after the last event that was received completely.
type curl struct {
	*ledger
	url     string
	headers string // file with the credentials, so that they appear in no process list
	killed  atomic.Int64
	torn    atomic.Int64 // kills in the middle of an event
}

func newCurl(h *server, n int, session bellcord.SessionID) *curl {
	return &curl{
		ledger: newLedger(fmt.Sprintf("curl %d on %s", n, session)),
		url:    h.url + "/v1/sessions/" + string(session) + "/events", headers: h.headers,
	}
}

// lose watches and is killed the given number of times: half the kills come after a random time,
// half after a number of bytes, at any place in an event. Later output of the process is discarded,
// as if its reader died with it.
func (c *curl) lose(ctx context.Context, kills int) error {
	for range kills {
		after, most := time.NewTimer(rand.N(mostTime)), int64(math.MaxInt64)
		if rand.IntN(2) == 0 {
			after.Stop()
			most = 1 + rand.Int64N(mostBytes)
		}
		err := c.once(ctx, after.C, most)
		after.Stop()
		if err != nil {
			return err
		}
		c.killed.Add(1)
	}
	return nil
}

// once runs one process until it is killed. A process that exits earlier is an error: the server
// ends no stream while it serves.
func (c *curl) once(ctx context.Context, end <-chan time.Time, most int64) error {
	args := []string{"--silent", "--show-error", "--fail", "--no-buffer", "--header", "@" + c.headers}
	if last := c.last(); last != "" {
		args = append(args, "--header", "Last-Event-ID: "+last)
	}
	cmd := exec.CommandContext(ctx, "curl", append(args, c.url)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	over := make(chan struct{})
	go func() {
		select {
		case <-end:
			_ = cmd.Process.Kill()
		case <-over:
		}
	}()
	limited := &io.LimitedReader{R: out, N: most}
	rest, err := c.read(limited)
	if limited.N == 0 {
		_ = cmd.Process.Kill()
	}
	close(over)
	werr := cmd.Wait()
	if signalled := cmd.ProcessState.ExitCode() == -1; !signalled || err != nil {
		return errors.Join(fmt.Errorf("%s exited by itself: %s", c.name, complaint.String()), werr, err)
	}
	if rest > 0 {
		c.torn.Add(1)
	}
	return nil
}

// read records every complete event. rest is the number of bytes of an incomplete event at the end.
func (c *curl) read(out io.Reader) (rest int, err error) {
	var text []byte
	buffer := make([]byte, 32<<10)
	for {
		n, err := out.Read(buffer)
		text = append(text, buffer[:n]...)
		for {
			frame, behind, found := bytes.Cut(text, []byte("\n\n"))
			if !found {
				break
			}
			text = behind
			if one, is := parse(string(frame)); is {
				c.addShown(one)
			}
		}
		if errors.Is(err, io.EOF) {
			return len(text), nil
		} else if err != nil {
			return len(text), err
		}
	}
}

// parse reads a frame. A frame without data, such as a keep-alive, is not an event.
func parse(frame string) (one shown, is bool) {
	for line := range strings.Lines(frame) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			one.id = value
		case "data":
			one.data, is = value, true
		}
	}
	return one, is
}
