//go:build linux

package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// typist is a program on a pseudoterminal and the person typing on it. Text written with one call
// of types arrives in one read.
type typist struct {
	t      *testing.T
	far    *os.File // the person's end
	name   string   // of the program's end
	cmd    *exec.Cmd
	exited chan struct{} // closed when the program has ended
	read   chan struct{} // closed when all its output has been read

	mu   sync.Mutex
	text strings.Builder // the program's output so far
}

// onTerminal starts a command of this program on a pseudoterminal.
func (w *world) onTerminal(args ...string) *typist {
	w.t.Helper()
	far, near := openPair(w.t)
	p := &typist{t: w.t, far: far, name: near.Name(), cmd: w.bellcord(args...), exited: make(chan struct{}), read: make(chan struct{})}
	p.cmd.Env = append(p.cmd.Env, "TERM=xterm-256color")
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = near, near, near
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	_ = near.Close()
	go func() {
		defer close(p.read)
		_, _ = io.Copy(p, far) // ends when no program has the terminal open
	}()
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait()
	}()
	w.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.exited
	})
	return p
}

// Write implements io.Writer for the program's output.
func (p *typist) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

// shown returns all output without the terminal's control sequences.
func (p *typist) shown() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return ansi.Strip(p.text.String())
}

// raw waits for the end and returns all output, byte for byte.
func (p *typist) raw() string {
	<-p.exited
	<-p.read
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (p *typist) types(keys string) {
	p.t.Helper()
	if _, err := p.far.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// sees waits until the program has written the text.
func (p *typist) sees(text string) {
	p.t.Helper()
	comesTrue(p.t, "the terminal shows "+text, func() bool { return strings.Contains(p.shown(), text) })
}

// ends waits until the program has ended.
func (p *typist) ends() {
	p.t.Helper()
	comesTrue(p.t, "the program has ended", func() bool {
		select {
		case <-p.exited:
			return true
		default:
			return false
		}
	})
}
