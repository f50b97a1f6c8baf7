package probe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"sync"
)

// foreignLines counts the lines of an agent's output that are no messages, in
// all checks of a run.
type foreignLines struct {
	mu    sync.Mutex
	count int
	first string
}

// add counts a line, unless it is empty.
func (f *foreignLines) add(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count == 0 {
		f.first = oneLine(string(line))
	}
	f.count++
}

// verdict returns a failure if there was a line.
func (f *foreignLines) verdict() verdict {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count == 0 {
		return passed("every line of the output is a message")
	}
	return failed("lines of the output that are no messages: %d, the first: %q", f.count, f.first)
}

// messagesOnly runs a short turn, and grades the output of all checks so far.
// ACP allows only messages on stdout: a client may end the connection at
// another line.
func messagesOnly(ctx context.Context, t *trial) (verdict, error) {
	c, session, err := t.open(ctx)
	if err != nil {
		return verdict{}, err
	}
	if _, _, err := c.normal(ctx, session); err != nil {
		return verdict{}, err
	}
	return t.foreign.verdict(), nil
}

// wholeLines splits as bufio.ScanLines does, but drops a part of a line at the
// end: the agent was ended while it wrote.
func wholeLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if atEOF && !bytes.ContainsRune(data, '\n') && !json.Valid(data) {
		return len(data), nil, nil
	}
	return bufio.ScanLines(data, atEOF)
}
