package storetest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/bellcord/bellcord"
)

// process is a child process of this test binary with one node.
type process struct {
	b       *bench
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Scanner
	dead    bool
}

// process starts a child on the bench's place and waits until its node is open.
func (b *bench) process() *process {
	b.Helper()
	p := b.startChild()
	p.number()
	return p
}

func (b *bench) startChild() *process {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	p := &process{b: b, cmd: exec.Command(self)}
	p.cmd.Env = append(os.Environ(), envPlace+"="+b.place)
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	p.answers = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.kill)
	return p
}

// sendLine sends the child a command line.
func (p *process) sendLine(words ...any) {
	p.b.Helper()
	if _, err := fmt.Fprintln(p.in, words...); err != nil {
		p.b.Fatalf("writing to the child process: %v", err)
	}
}

// number reads an answer that must be ok and returns its number.
func (p *process) number() (n int64) {
	p.b.Helper()
	if !p.answers.Scan() {
		p.b.Fatalf("the child process has exited: %v", p.answers.Err())
	}
	if _, err := fmt.Sscanf(p.answers.Text(), "ok %d", &n); err != nil {
		p.b.Fatalf("the child process answered %q", p.answers.Text())
	}
	return n
}

// untilRefused reads answers until one that must report the refusal, and returns
// the number of answers before it, which must be ok and are limited.
func (p *process) untilRefused(why error) (before int) {
	p.b.Helper()
	const most = 20_000 // more than a pipe holds
	for ; p.answers.Scan(); before++ {
		if before == most {
			p.b.Fatalf("the child process was not refused in %d attempts", most)
		}
		if text := p.answers.Text(); !strings.HasPrefix(text, "ok ") {
			if text != "refused "+why.Error() {
				p.b.Fatalf("the child process answered %q, want that it is refused: %v", text, why)
			}
			return before
		}
	}
	p.b.Fatalf("the child process has exited: %v", p.answers.Err())
	return before
}

func (p *process) queued(s bellcord.SessionID) bellcord.TurnID {
	p.b.Helper()
	turn := bellcord.NewTurnID()
	p.sendLine("accept", s, turn)
	p.number()
	return turn
}

func (p *process) running(s bellcord.SessionID) claimed {
	p.b.Helper()
	turn := p.queued(s)
	p.sendLine("claim", s, turn)
	return claimed{s, turn, p.number()}
}

// appendTo makes the child append to its turn and returns the sequence number.
func (p *process) appendTo(c claimed, n int64) int64 {
	p.b.Helper()
	p.sendLine("append", c.session, c.turn, c.fence, n)
	return p.number()
}

// kill kills the child with SIGKILL and waits until it is gone.
func (p *process) kill() {
	if p.dead {
		return
	}
	p.dead = true
	_ = p.cmd.Process.Kill()
	for p.answers.Scan() {
		if !strings.HasPrefix(p.answers.Text(), "ok") {
			p.b.Errorf("unexpected last answer of the child process: %q", p.answers.Text())
		}
	}
	_ = p.cmd.Wait()
}

// last kills the child and returns the numbers that it had answered until then.
func (p *process) last() (numbers []int64) {
	p.b.Helper()
	_ = p.cmd.Process.Kill()
	for p.answers.Scan() {
		var n int64
		if _, err := fmt.Sscanf(p.answers.Text(), "ok %d", &n); err == nil {
			numbers = append(numbers, n)
		}
	}
	p.kill()
	return numbers
}
