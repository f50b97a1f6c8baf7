package probe

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bellcord/bellcord/internal/jsonrpc"
	"github.com/bellcord/bellcord/proc"
)

// agent is a process of the agent that is graded.
type agent struct {
	running *proc.Running
	noise   tail

	writing sync.Mutex
}

// listen passes the lines of the agent's output to handle until the output ends,
// and then calls over.
func (a *agent) listen(handle func(time.Time, []byte), over func()) {
	defer over()
	defer func() { _ = a.running.Stdout.Close() }()
	lines := bufio.NewScanner(a.running.Stdout)
	lines.Buffer(make([]byte, 64<<10), jsonrpc.MostLine+1)
	lines.Split(wholeLines)
	for lines.Scan() {
		handle(time.Now(), lines.Bytes())
	}
}

// writeLines writes the lines in a single write. If the agent does not read, it
// waits up to 5 seconds where the pipe supports deadlines.
func (a *agent) writeLines(lines ...[]byte) error {
	a.writing.Lock()
	defer a.writing.Unlock()
	if pipe, ok := a.running.Stdin.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = pipe.SetWriteDeadline(time.Now().Add(5 * time.Second)) // without a deadline if the pipe does not support one
	}
	var all []byte
	for _, line := range lines {
		all = append(append(all, line...), '\n')
	}
	if _, err := a.running.Stdin.Write(all); err != nil {
		return fmt.Errorf("writing to the agent: %w%s", err, a.lastWords())
	}
	return nil
}

// shutDown closes the agent's input, gives it time to exit, and otherwise ends
// it.
func (a *agent) shutDown() (took time.Duration, byItself bool, left proc.Report) {
	began := time.Now()
	_ = a.running.Stdin.Close() // it may already be closed
	late := time.NewTimer(leaving + time.Second)
	defer late.Stop()
	select {
	case <-a.running.Done():
	case <-late.C:
		report := a.running.End(nil)
		return leaving, false, report
	}
	exit := a.running.Wait()
	took = time.Since(began) - exit.Took // without the time for ending the processes it left behind
	return took, took <= leaving, exit.Report
}

// onEOF grades how the agent exits when its input ends.
func (a *agent) onEOF(ctx context.Context, doing string) verdict {
	if ctx.Err() != nil {
		return skipped("the probe was interrupted")
	}
	took, byItself, report := a.shutDown()
	left := 0
	for _, p := range append(report.Ended, report.Survivors...) {
		if p.PID != a.running.PID {
			left++
		}
	}
	if !byItself {
		return failed("%s: still running after %s", doing, span(took))
	}
	return grade(left == 0, "%s: exited after %s, %d processes left", doing, span(took), left)
}

// tail keeps the end of an agent's stderr.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) appendBytes(more []byte) {
	const most = 250
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, more...)
	if len(t.text) > most {
		t.text = append([]byte(nil), t.text[len(t.text)-most:]...)
	}
}

// lastWords returns a suffix for an error message: the exit code, if the agent
// has exited, and the end of its stderr.
func (a *agent) lastWords() string {
	words := ""
	late := time.NewTimer(time.Second) // time for an agent that is about to exit
	defer late.Stop()
	select {
	case <-a.running.Done():
		words = fmt.Sprintf("; it exited with code %d", a.running.Wait().Code)
	case <-late.C:
	}
	a.noise.mu.Lock()
	defer a.noise.mu.Unlock()
	if stderr := strings.TrimSpace(string(a.noise.text)); stderr != "" {
		words += "; stderr: " + oneLine(stderr)
	}
	return words
}
