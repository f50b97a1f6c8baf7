// Package proc starts a process for a tool call and ends everything in its
// process group, by one ladder: ask the group to end, wait out the grace, kill
// the group. It never hangs on a pipe that a grandchild holds.
package proc

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// Command is what to run and how to end it.
type Command struct {
	Args   []string
	Dir    string
	Env    []string      // added to this process's own
	Output func([]byte)  // called with stdout and stderr as they come, from one goroutine
	Grace  time.Duration // between asking and killing; 0 means 2 s
	Force  <-chan struct{}
}

// How says how a process ended.
type How string

// The ways to end: by itself, when asked, or by force.
const (
	Exited How = "exited"
	Asked  How = "asked"
	Forced How = "forced"
)

// Exit is a process that is gone, with its group.
type Exit struct {
	PID  int
	Code int // -1 when it was ended by a signal
	How  How
}

const (
	defaultGrace = 2 * time.Second
	// drain is how long output is still read once the process is gone: what it
	// wrote is in the pipe already, and a grandchild may hold the pipe for ever.
	drain = 100 * time.Millisecond
)

// Run runs the command to its end, or, when ctx ends first, ends its group.
// Either way nothing of the group is left when it returns, and all that it had
// written has been handed to Output. The error says that it could not be started.
func Run(ctx context.Context, c Command) (Exit, error) {
	if c.Grace == 0 {
		c.Grace = defaultGrace
	}
	out, in, err := os.Pipe()
	if err != nil {
		return Exit{}, err
	}
	defer func() { _ = out.Close() }()
	cmd := exec.Command(c.Args[0], c.Args[1:]...) //nolint:noctx // ended by the ladder below, as a group
	cmd.Dir, cmd.Env = c.Dir, append(os.Environ(), c.Env...)
	cmd.Stdout, cmd.Stderr = in, in
	ownGroup(cmd)
	err = cmd.Start()
	_ = in.Close()
	if err != nil {
		return Exit{}, err
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		copyOut(out, c.Output)
	}()
	exit := c.wait(ctx, cmd)
	timer := time.NewTimer(drain)
	defer timer.Stop()
	select {
	case <-read:
	case <-timer.C:
		_ = out.SetReadDeadline(time.Now())
		<-read
	}
	return exit, nil
}

// wait sees the process to its end and its group with it.
func (c Command) wait(ctx context.Context, cmd *exec.Cmd) Exit {
	exit := Exit{PID: cmd.Process.Pid, How: Exited}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	var err error
	select {
	case err = <-gone:
	case <-ctx.Done():
		exit.How, err = c.end(cmd, gone)
	}
	killGroup(cmd) // what it left running in its group goes with it
	var failed *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &failed):
		exit.Code = failed.ExitCode()
	default:
		exit.Code = -1
	}
	return exit
}

// end is the ladder.
func (c Command) end(cmd *exec.Cmd, gone <-chan error) (How, error) {
	askGroup(cmd)
	grace := time.NewTimer(c.Grace)
	defer grace.Stop()
	select {
	case err := <-gone:
		return Asked, err
	case <-c.Force:
	case <-grace.C:
	}
	killGroup(cmd)
	return Forced, <-gone
}

func copyOut(from io.Reader, to func([]byte)) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && to != nil {
			to(buf[:n])
		}
		if err != nil {
			return
		}
	}
}
