package jsonrpc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// MostLine is the maximum length of a line.
const MostLine = 64 << 20

var errTooLong = errors.New("message longer than 64 MiB")

// tooLongError is errTooLong with the beginning of the line.
type tooLongError struct{ beginning []byte }

func (tooLongError) Error() string { return errTooLong.Error() }
func (tooLongError) Unwrap() error { return errTooLong }

// mostBeginning is how much is kept of a line that is too long.
const mostBeginning = 4 << 10

// lineReader reads non-empty lines, without surrounding white space.
type lineReader struct{ r *bufio.Reader }

func newLineReader(r io.Reader) lineReader { return lineReader{bufio.NewReaderSize(r, 64<<10)} }

// next returns the next line, or a tooLongError for a line that was skipped.
func (l lineReader) next() ([]byte, error) {
	for {
		line, err := l.line()
		if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l lineReader) line() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > MostLine; tooLong {
			line = bytes.Clone(line[:min(len(line), mostBeginning)])
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, tooLongError{line}
		default:
			return line, err
		}
	}
}

// writer writes lines in the order of the calls of Put. Put never blocks, so
// the connection's reader can respond even if the peer does not read. Senders
// of many messages call room first.
type writer struct {
	out io.Writer

	mu     sync.Mutex
	queue  [][]byte
	size   int
	wake   chan struct{} // holds a token if there is work
	taken  chan struct{} // closed and replaced when the queue shrinks
	closed bool
	broken bool
}

// roomy is the number of unwritten bytes from which room waits.
const roomy = 1 << 20

func newWriter(out io.Writer) *writer {
	return &writer{out: out, wake: make(chan struct{}, 1), taken: make(chan struct{})}
}

// Put implements Output.
func (w *writer) Put(message []byte) {
	line := append(message, '\n') //nolint:gocritic // the message is not used again
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken || w.closed {
		return
	}
	w.queue = append(w.queue, line)
	w.size += len(line)
	w.signal()
}

func (w *writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// writeAll writes until the writer is closed and empty, or the output fails.
func (w *writer) writeAll() {
	for range w.wake {
		lines, closed := w.takeLines()
		for len(lines) > 0 {
			if _, err := w.out.Write(bytes.Join(lines, nil)); err != nil {
				w.fail()
				return
			}
			lines, closed = w.takeLines()
		}
		if closed {
			return
		}
	}
}

func (w *writer) takeLines() ([][]byte, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := w.queue
	w.queue, w.size = nil, 0
	close(w.taken)
	w.taken = make(chan struct{})
	return lines, w.closed
}

// fail drops the unwritten lines, because the output has failed.
func (w *writer) fail() {
	w.mu.Lock()
	w.broken = true
	w.mu.Unlock()
	w.takeLines()
}

func (w *writer) closeInput() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.signal()
}

// WaitWritable implements Output.
func (w *writer) WaitWritable(ctx context.Context) error {
	for {
		w.mu.Lock()
		roomNow, taken := w.size < roomy || w.broken, w.taken
		w.mu.Unlock()
		if roomNow {
			return nil
		}
		select {
		case <-taken:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
