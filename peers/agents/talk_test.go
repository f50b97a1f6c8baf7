//go:build linux

package agents_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/bellcord/bellcord/internal/agent/preset"
)

// talker is a running agent. prompt returns the agent's text if its turn ended normally; any other
// end fails the test.
type talker interface {
	prompt(ctx context.Context, text string) string
	requestedPermission() bool // whether it has requested a permission
}

// child is the process of an agent.
type child struct {
	*testing.T
	in     io.WriteCloser
	out    io.Reader
	stderr bytes.Buffer
}

// start runs an agent in a folder until the test ends. It inherits only PATH.
func start(t *testing.T, definition preset.Definition, folder string) talker {
	t.Helper()
	c := &child{T: t}
	cmd := exec.Command(definition.Command[0], definition.Command[1:]...)
	cmd.Dir = folder
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range definition.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = &c.stderr
	cmd.WaitDelay = 2 * time.Second
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = in
	c.out = out
	if c.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	t.Cleanup(func() { c.end(cmd, out) })
	if definition.Protocol == preset.Pi {
		return &piTalker{child: c, lines: bufio.NewReader(out)}
	}
	return newACPTalker(c, folder)
}

// end closes the agent's input, waits, and then kills its process process group.
func (c *child) end(cmd *exec.Cmd, out io.Closer) {
	_ = c.in.Close()
	killer := time.AfterFunc(5*time.Second, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer killer.Stop()
	err := cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = out.Close()
	if c.Failed() {
		text := c.stderr.String()
		c.Logf("the agent ended: %v; the end of its stderr: %s", err, text[max(0, len(text)-4000):])
	}
}
